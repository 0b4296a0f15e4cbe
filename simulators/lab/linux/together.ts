import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../../src/async/defects.js';
import type { TimeSource } from '../../../src/async/time.js';
import type { Session } from './session.js';

/** The limit for other commands to end after the main one, ms. */
export const END_MS = 5_000;

const succeeded = (ended: E.Either<string, number>): boolean => E.isRight(ended) && ended.right === 0;

/**
 * Runs several guests at once: starts the main guest when the commands of the others have begun, and ends the others by
 * SIGTERM after it. The result is the main guest's; after its success, the first earlier failure of another guest.
 */
export const startTogether = (
  startMain: () => Session,
  startOthers: readonly (() => Session)[],
  time: TimeSource,
): Session => {
  const others = startOthers.map((start) => start());
  let main: Session | undefined;
  let pendingSignal: NodeJS.Signals | undefined;

  const endOther = async (other: Session): Promise<void> => {
    other.signal('SIGTERM');
    // A second SIGTERM ends the guest.
    const cancel = time.after(END_MS, () => other.signal('SIGTERM'));
    await other.ended;
    cancel();
  };
  const runMain = async (): Promise<E.Either<string, number>> => {
    for (const other of others) if (!(await other.begun)) return other.ended;
    main = startMain();
    if (pendingSignal !== undefined) main.signal(pendingSignal);
    return main.ended;
  };
  const run = async (): Promise<E.Either<string, number>> => {
    const failures: E.Either<string, number>[] = [];
    for (const other of others) {
      detached(
        other.ended.then((ended) => {
          if (!succeeded(ended)) failures.push(ended);
        }),
      );
    }
    const ended = await runMain();
    const failure = failures[0];
    await Promise.all(others.map(endOther));
    return succeeded(ended) && failure !== undefined ? failure : ended;
  };
  const ended = run();
  return {
    ended,
    begun: ended.then(() => main?.begun ?? false),
    signal: (name) => {
      pendingSignal = name;
      if (main !== undefined) main.signal(name);
      else for (const other of others) other.signal(name);
    },
  };
};
