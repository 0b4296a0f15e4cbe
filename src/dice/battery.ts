import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { BleError, Link } from '../ble/ports.js';
import { ask } from '../ble/question.js';
import { coreError, radioError, type ServerError } from '../http/index.js';
import type { Clock } from '../time.js';
import { shared } from '../wait.js';

export interface BatteryQuestion {
  /**
   * The battery level, per cent. Who asks while an answer is awaited gets the same one. A missed answer is
   * `answer_timeout` and ends the link.
   */
  readonly ask: TE.TaskEither<ServerError, number>;
  /** Takes a level for the answer, since answers bear no mark; false if none is awaited. */
  readonly take: (level: number) => boolean;
}

/**
 * `write` sends the question and calls `begun` when its turn has come: what the die says before answers nothing. The answer may
 * take `answerMs` from when the question is acknowledged.
 */
export const batteryQuestion = (
  link: Link,
  write: (begun: () => void) => TE.TaskEither<BleError, void>,
  clock: Clock,
  answerMs: number,
): BatteryQuestion => {
  let answered: ((level: number) => void) | undefined;
  let asked = false;
  const over = (): void => {
    answered = undefined;
    asked = false;
  };
  const question = ask<number>({
    link,
    clock,
    write: write(() => {
      asked = true;
    }),
    answerMs,
    ends: 'the battery answer',
    listen: (settle) => {
      answered = settle;
      return over;
    },
  });
  const missed = coreError(
    'answer_timeout',
    `device ${link.address} did not answer the battery request within ${answerMs / 1000} s`,
  );
  return {
    take: (level) => {
      if (answered === undefined || !asked) return false;
      answered(level);
      return true;
    },
    ask: shared(
      pipe(
        question,
        TE.mapLeft((why) => (why === 'unanswered' ? missed : radioError(why))),
        // A question that threw listens no more.
        (asking) => () => asking().finally(over),
      ),
    ),
  };
};
