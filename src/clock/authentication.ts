/** Getting into a clock: the token is shown in two steps, and proven by a settings read (docs/cgd1-protocol.md §4). */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address, BleError } from '../ble/ports.js';
import { coreError, radioError, type ServerError } from '../http/index.js';
import type { AlarmClock } from './clock.js';
import { storeSentence, type StoreError, type Token, type TokenStore } from './tokens.js';

/** How long the ACK of a step is waited for, ms. Some clocks send none: the proof is what counts. */
const STEP_MS = 2_000;

/** The HCI reason with which a clock may end the link of somebody it does not know. */
const ENDED_BY_PEER = 0x13;

/** `certain`: the clock said so. It may also just fall silent or end the link. */
interface Refused {
  readonly _tag: 'Refused';
  readonly certain: boolean;
}

const refused = (certain: boolean): Refused => ({ _tag: 'Refused', certain });

const AUTH_FAILED = 'auth_failed';

const refusal = (address: Address): ServerError =>
  coreError(
    AUTH_FAILED,
    `${AUTH_FAILED}: device ${address} did not accept this server's token, it is bound to another app: reset it and ` +
      'connect again. To reset it, remove it from that app or hold its button until the Bluetooth icon flashes; if ' +
      'that does not help, take the batteries out, hold the body pressed, put them back in and keep holding for ' +
      '12 s, which also clears its settings and alarms',
  );

/** Whether a clock did not accept the token. */
export const isAuthFailure = (error: ServerError | undefined): boolean =>
  error?._tag === 'CoreError' && error.code === AUTH_FAILED;

const storeFailed = (error: StoreError): ServerError => coreError('token_store', storeSentence(error));

const step = (
  device: AlarmClock,
  _tag: 'AuthInit' | 'AuthConfirm',
  token: Buffer,
): TE.TaskEither<Refused | BleError, void> =>
  pipe(
    device.outcome({ _tag, token }, STEP_MS),
    TE.orElse((why) => (why === 'unanswered' ? TE.right('success') : TE.left(why))),
    TE.chain((outcome) =>
      outcome === 'failure' ? TE.left<Refused | BleError>(refused(true)) : TE.of(undefined),
    ),
  );

const prove = (device: AlarmClock, token: Buffer): TE.TaskEither<Refused | BleError, void> =>
  pipe(
    step(device, 'AuthInit', token),
    TE.chain(() => step(device, 'AuthConfirm', token)),
    TE.chain(() =>
      pipe(
        device.record,
        TE.bimap(
          (why) => (why === 'unanswered' ? refused(false) : why),
          () => undefined,
        ),
      ),
    ),
    TE.mapLeft((why) => (why._tag === 'LinkLost' && why.reason === ENDED_BY_PEER ? refused(false) : why)),
  );

/**
 * Authenticates with the stored token, or with a new one that is stored before. Right: whether the clock was bound
 * to it just now. Left `auth_failed`: the clock is bound to another token; a pending token is dropped if the clock
 * said so, else it is kept, since the clock may be bound to it and merely have failed to answer.
 */
export const authenticate = (device: AlarmClock, tokens: TokenStore): TE.TaskEither<ServerError, boolean> => {
  const { address } = device.link;

  const failed = (why: Refused | BleError, { bytes }: Token): TE.TaskEither<ServerError, void> => {
    if (why._tag !== 'Refused') return TE.left(radioError(why));
    return pipe(
      why.certain ? tokens.drop(address, bytes) : TE.right(undefined),
      TE.mapLeft(storeFailed),
      TE.chain(() => TE.left(refusal(address))),
    );
  };

  return pipe(
    tokens.tokenFor(address),
    TE.mapLeft(storeFailed),
    TE.chain((token) =>
      pipe(
        prove(device, token.bytes),
        TE.orElse((why) => failed(why, token)),
        TE.chain(() =>
          token.proven
            ? TE.right(false)
            : pipe(
                tokens.promote(address, token.bytes),
                TE.bimap(storeFailed, () => true),
              ),
        ),
      ),
    ),
  );
};
