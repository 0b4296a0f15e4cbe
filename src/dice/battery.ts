import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { BleError, Link } from '../ble/ports.js';
import { coreError, radioError, type ServerError } from '../http/index.js';
import type { Clock } from '../time.js';
import { settled, shared } from '../wait.js';

export interface BatteryQuestion {
  /**
   * The battery level, per cent. Who asks while an answer is awaited gets the same one. A missed answer is
   * `answer_timeout` and ends the link.
   */
  readonly ask: TE.TaskEither<ServerError, number>;
  /** Takes a level for the answer, since answers bear no mark; false if none is awaited. */
  readonly take: (level: number) => boolean;
}

/** `write` sends the question; the answer may take `answerMs` from when that is acknowledged. */
export const batteryQuestion = (
  link: Link,
  write: TE.TaskEither<BleError, void>,
  clock: Clock,
  answerMs: number,
): BatteryQuestion => {
  const { address } = link;
  let answered: ((level: number) => void) | undefined;
  return {
    take: (level) => {
      if (answered === undefined) return false;
      answered(level);
      return true;
    },
    ask: shared(
      settled<E.Either<ServerError, number>>((settle) => {
        let over = false;
        let cancelLimit = (): void => undefined;
        answered = (level) => settle(E.right(level));
        const unwatch = link.onEnd((why) => settle(E.left(radioError(why))));
        const missed = (): void => {
          const message = `device ${address} did not answer the battery request within ${answerMs / 1000} s`;
          settle(E.left(coreError('answer_timeout', message)));
          link.poison({ _tag: 'Timeout', address, operation: 'the battery answer', ms: answerMs });
        };
        void write().then((written) => {
          if (E.isLeft(written)) settle(E.left(radioError(written.left)));
          else if (!over) cancelLimit = clock.after(answerMs, missed);
        });
        return () => {
          over = true;
          answered = undefined;
          unwatch();
          cancelLimit();
        };
      }),
    ),
  };
};
