import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../../src/async/defects.js';
import type { TimeSource } from '../../../src/async/time.js';
import type { Session } from './session.js';

/** How long a command may take to end once the main one has ended, ms. */
export const END_MS = 5_000;

const ignored = (ended: E.Either<string, number>): boolean => E.isRight(ended) && ended.right === 0;

/**
 * Several guests at once: the main one is started when the commands of those beside it have begun, and they are ended by
 * SIGTERM when it has ended. It ends as its main one; where that succeeded, as the first other that failed before.
 */
export const startTogether = (
  startMain: () => Session,
  startOthers: readonly (() => Session)[],
  time: TimeSource,
): Session => {
  const others = startOthers.map((start) => start());
  let main: Session | undefined;
  let asked: NodeJS.Signals | undefined;

  const endOther = async (other: Session): Promise<void> => {
    other.signal('SIGTERM');
    // The second one ends the guest.
    const cancel = time.after(END_MS, () => other.signal('SIGTERM'));
    await other.ended;
    cancel();
  };
  const runMain = async (): Promise<E.Either<string, number>> => {
    for (const other of others) if (!(await other.begun)) return other.ended;
    main = startMain();
    if (asked !== undefined) main.signal(asked);
    return main.ended;
  };
  const run = async (): Promise<E.Either<string, number>> => {
    const failures: E.Either<string, number>[] = [];
    for (const other of others) {
      detached(
        other.ended.then((ended) => {
          if (!ignored(ended)) failures.push(ended);
        }),
      );
    }
    const ended = await runMain();
    const failure = failures[0];
    await Promise.all(others.map(endOther));
    return ignored(ended) && failure !== undefined ? failure : ended;
  };
  const ended = run();
  return {
    ended,
    begun: ended.then(() => main?.begun ?? false),
    signal: (name) => {
      asked = name;
      if (main !== undefined) main.signal(name);
      else for (const other of others) other.signal(name);
    },
  };
};
