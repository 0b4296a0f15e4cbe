import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import type { DeviceError } from './device-error.js';
import type { Address, Radio } from '../ble/ports.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The share of a pause in which advertisements of a device in range that failed are ignored. */
const IGNORED_SHARE = 0.25;

/** Whether an attempt failed because the device is out of range: the next attempt begins as soon as it advertises. */
const isAbsent = ({ _tag }: DeviceError): boolean =>
  _tag === 'NotFound' || _tag === 'NotConnected' || _tag === 'SessionNotFound' || _tag === 'Closed';

export interface RetryOptions {
  readonly radio: Radio;
  readonly time: TimeSource;
  /** 0 up to 1; pauses vary by it, so that many devices do not come back all at once. */
  readonly random: () => number;
  readonly log: Logger;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/**
 * Retries with backoff until an attempt succeeds. There is a pause before each attempt, even the first; an advertisement of
 * the device ends the pause. Undefined: `signal` ended it all.
 */
export const retry =
  <A>(
    attempt: TE.TaskEither<DeviceError, A>,
    { radio, time, random, log, address, signal }: RetryOptions,
  ): Task<A | undefined> =>
  async () => {
    const result = async (): Promise<E.Either<DeviceError, A>> => {
      try {
        return await attempt();
      } catch (defect) {
        log.error({ err: defect, address }, 'an attempt to connect failed');
        return E.left({ _tag: 'ConnectFailed', address, reason: String(defect) });
      }
    };
    let longest = FIRST_PAUSE_MS;
    let ignoredMs = 0;
    for (;;) {
      const ms = longest * (0.75 + random() / 2);
      const ignoredUntil = time.now() + ignoredMs;
      await wait<true>({ time, ms, signal }, (wake) =>
        radio.listen((advertisement) => {
          if (advertisement.address === address && time.now() >= ignoredUntil) wake(true);
        }),
      )();
      if (signal.aborted) return undefined;
      const outcome = await result();
      if (E.isRight(outcome)) return outcome.right;
      longest = Math.min(LONGEST_PAUSE_MS, longest * 2);
      ignoredMs = isAbsent(outcome.left) ? 0 : longest * IGNORED_SHARE;
    }
  };
