import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../../time.js';
import { DISCONNECT_LIMIT } from './link.js';
import { cancelConnect, forgetConnect, type Noble, type NoblePeripheral } from './noble.js';

/** Supervision timeout asked for, in noble's unit of 10 ms: its default of 420 ms loses links that are merely busy. */
const SUPERVISION_TIMEOUT = 400;

export interface ConnectAttempt<L> {
  readonly noble: Noble;
  readonly peripheral: NoblePeripheral;
  readonly clock: Clock;
  /** Cancels the attempt at the controller. */
  readonly stop: AbortSignal;
  /** The adapter is gone, and nobody waits for it. */
  readonly gone: AbortSignal;
  /** Called as soon as there is a link: it may end in the same tick. */
  readonly linked: () => L;
}

/**
 * One attempt at the controller, as long as it takes. Resolves when the controller has ended it, since the next must
 * not begin before, or does not answer within `DISCONNECT_LIMIT`. Right, though it was cancelled, if the link was made
 * before.
 */
export const attemptConnect = <L>({
  noble,
  peripheral,
  clock,
  stop,
  gone,
  linked,
}: ConnectAttempt<L>): Promise<E.Either<Error, L>> =>
  new Promise((resolve) => {
    let cancelWait = (): void => undefined;
    const finish = (outcome: E.Either<Error, L>): void => {
      cancelWait();
      stop.removeEventListener('abort', onStop);
      gone.removeEventListener('abort', onGone);
      peripheral.removeListener('connect', onConnect);
      resolve(outcome);
    };
    const onConnect = (error: Error | null): void =>
      finish(error === null ? E.right(linked()) : E.left(error));
    const onStop = (): void => {
      cancelConnect(noble, peripheral);
      cancelWait = clock.after(DISCONNECT_LIMIT, () => {
        forgetConnect(noble);
        finish(E.left(new Error('the adapter did not end the attempt')));
      });
    };
    const onGone = (): void => finish(E.left(new Error('the adapter is gone')));
    stop.addEventListener('abort', onStop, { once: true });
    gone.addEventListener('abort', onGone, { once: true });
    peripheral.on('connect', onConnect);
    peripheral.connect({ timeout: SUPERVISION_TIMEOUT });
  });
