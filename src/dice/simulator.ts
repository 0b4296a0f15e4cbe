/** The simulation of the dice, which rolls them: a client of its control API. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import type { Address } from '../ble/ports.js';
import { deviceAddress, object, parseError } from '../codecs/index.js';
import { ErrorBody } from '../contract/index.js';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import { systemReason } from '../system/system-error.js';
import type { RollRequest } from './contract.js';

/** The limit for an answer of the control API, ms. */
const ANSWER_MS = 5_000;

export interface SimulatorAddress {
  /** The URL of the control API, with a slash at its end. */
  readonly url: string;
  readonly token?: string;
}

/** The part of a model of the control API that all devices have. */
const Model = object({ address: deviceAddress });

interface Answer {
  readonly status: number;
  /** JSON; undefined for any other body. */
  readonly body: unknown;
}

const BAD_REQUEST = 400;

/** The reason why `fetch` failed, which has an error for each address of a host that it tried. */
const reasonOf = (thrown: unknown): string => {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  return systemReason(cause instanceof AggregateError ? cause.errors[0] : cause);
};

export class Simulator {
  constructor(
    private readonly address: SimulatorAddress,
    private readonly time: TimeSource,
  ) {}

  /** Makes a die begin a roll. */
  roll(
    address: Address,
    action: Readonly<Record<keyof RollRequest, unknown>>,
    signal: AbortSignal,
  ): TE.TaskEither<DeviceError, void> {
    return pipe(
      this.post(`devices/${address}/actions`, { ...action, type: 'roll' }, signal),
      TE.chainEitherK(({ status, body }) => {
        if (Model.is(body)) return E.right(undefined);
        if (!ErrorBody.is(body))
          return E.left(this.failure(`answered ${status} with something else than a die`));
        if (body.code === 'unknown_device') return E.left<DeviceError>({ _tag: 'NotSimulated', address });
        return E.left(
          status === BAD_REQUEST ? parseError(body.error) : this.failure(`answered ${status}: ${body.error}`),
        );
      }),
    );
  }

  private post(path: string, body: object, signal: AbortSignal): TE.TaskEither<DeviceError, Answer> {
    return pipe(
      wait<E.Either<DeviceError, Answer>>({ time: this.time, ms: ANSWER_MS, signal }, (settle) => {
        const aborter = new AbortController();
        detached(this.send(path, body, aborter.signal)().then(settle));
        return () => aborter.abort();
      }),
      TE.mapLeft((unmet) =>
        unmet === 'aborted' ? ABORTED : this.failure(`did not answer within ${ANSWER_MS / 1000} s`),
      ),
      TE.chainEitherK((answer) => answer),
    );
  }

  private send(path: string, body: object, signal: AbortSignal): TE.TaskEither<DeviceError, Answer> {
    const { url, token } = this.address;
    return TE.tryCatch(
      async () => {
        const response = await fetch(new URL(path, url), {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(body),
          redirect: 'error',
          signal,
        });
        const answer: unknown = await response.json().catch(() => undefined);
        return { status: response.status, body: answer };
      },
      (thrown) => this.failure(`cannot be reached: ${reasonOf(thrown)}`),
    );
  }

  private failure(reason: string): DeviceError {
    return { _tag: 'SimulatorFailed', url: this.address.url, reason };
  }
}
