import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Cancel, Clock } from '../time.js';
import { settled } from '../wait.js';
import type { BleError, Link } from './ports.js';

export interface Question<A> {
  readonly link: Link;
  readonly clock: Clock;
  /** Sends the question. */
  readonly write: TE.TaskEither<BleError, void>;
  /** How long an answer may take once the question is written, ms. */
  readonly answerMs: number;
  /** Told of the answer until what this returns is called. */
  readonly listen: (answered: (answer: A) => void) => Cancel;
  /** A link on which no answer comes is ended; what to call the answer in the reason why. Null lets it live. */
  readonly ends: string | null;
}

/** Asks a device and waits for what it notifies. Left: `unanswered` in time, or what ended the link. */
export const ask = <A>({
  link,
  clock,
  write,
  answerMs,
  listen,
  ends,
}: Question<A>): TE.TaskEither<BleError | 'unanswered', A> =>
  settled((settle) => {
    let over = false;
    let cancelLimit = (): void => undefined;
    const unlisten = listen((answer) => settle(E.right(answer)));
    const unwatch = link.onEnd((why) => settle(E.left(why)));
    const missed = (): void => {
      settle(E.left('unanswered'));
      if (ends === null) return;
      link.poison({ _tag: 'Timeout', address: link.address, operation: ends, ms: answerMs });
    };
    void write().then((written) => {
      if (E.isLeft(written)) settle(written);
      else if (!over) cancelLimit = clock.after(answerMs, missed);
    });
    return () => {
      over = true;
      unlisten();
      unwatch();
      cancelLimit();
    };
  });
