/** Authentication with a clock: the token is sent in two steps, and a read of the settings proves it (docs/cgd1-protocol.md §4). */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../../devices/device-error.js';
import type { AlarmClock } from './clock.js';
import type { Token, TokenStore } from '../tokens/token-store.js';

/** How long the ACK of a step may take, ms. Some clocks do not send it: only the proof counts. */
const STEP_MS = 2_000;

/** The HCI reason with which a clock may end the link of an unknown central. */
const ENDED_BY_PEER = 0x13;

/** The clock does not accept the token. `certain`: it refused the token; otherwise it refused the proof or ended the link. */
interface Rejected {
  readonly _tag: 'Rejected';
  readonly certain: boolean;
}

const rejected = (certain: boolean): Rejected => ({ _tag: 'Rejected', certain });

const step = (
  device: AlarmClock,
  _tag: 'AuthInit' | 'AuthConfirm',
  token: Buffer,
): TE.TaskEither<Rejected | DeviceError, void> =>
  pipe(
    device.acknowledged('authentication', { _tag, token }, STEP_MS),
    TE.orElse((cause) => {
      if (cause._tag === 'NoAnswer') return TE.right(undefined);
      return TE.left(cause._tag === 'Refused' ? rejected(true) : cause);
    }),
  );

const proofFailed = (cause: Rejected | DeviceError): Rejected | DeviceError => {
  const isServed = cause._tag !== 'NoAnswer' && cause._tag !== 'Refused';
  const isEndedByClock = cause._tag === 'LinkLost' && cause.reason === ENDED_BY_PEER;
  return isServed && !isEndedByClock ? cause : rejected(false);
};

const prove = (device: AlarmClock, token: Buffer): TE.TaskEither<Rejected | DeviceError, void> =>
  pipe(
    step(device, 'AuthInit', token),
    TE.chain(() => step(device, 'AuthConfirm', token)),
    TE.chainW(() => device.settings('authentication', false)),
    TE.bimap(proofFailed, () => undefined),
  );

/**
 * Authenticates with the stored token, or with a new token that is stored first. Right: whether the clock has just been
 * bound to it. Left `TokenRefused`: the clock is bound to another token. A pending token is dropped if the clock refused
 * the token itself; otherwise it is kept, since the clock may be bound to it and only have failed to answer.
 */
export const authenticate = (device: AlarmClock, tokens: TokenStore): TE.TaskEither<DeviceError, boolean> => {
  const { address } = device.link;

  const failed = (cause: Rejected | DeviceError, { bytes }: Token): TE.TaskEither<DeviceError, void> => {
    if (cause._tag !== 'Rejected') return TE.left(cause);
    return pipe(
      cause.certain ? tokens.drop(address, bytes) : TE.right(undefined),
      TE.chain(() => TE.left<DeviceError>({ _tag: 'TokenRefused', address })),
    );
  };

  return pipe(
    tokens.tokenFor(address),
    TE.chain((token) =>
      pipe(
        prove(device, token.bytes),
        TE.orElse((cause) => failed(cause, token)),
        TE.chain(() =>
          token.proven
            ? TE.right(false)
            : pipe(
                tokens.promote(address, token.bytes),
                TE.map(() => true),
              ),
        ),
      ),
    ),
  );
};
