import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Link } from '../ble/ports.js';

/** Runs `task` again and again, `everyMs` after its last run, until its link ends or it fails. */
export const repeatedOn = (
  link: Link,
  { time, everyMs }: { readonly time: TimeSource; readonly everyMs: number },
  task: TE.TaskEither<unknown, void>,
): void => {
  let cancel: Cancel = () => undefined;
  const pause = (): void => {
    cancel = time.after(everyMs, () => detached(run()));
  };
  const run = async (): Promise<void> => {
    const done = await task();
    if (E.isRight(done) && link.ended === undefined) pause();
  };
  pause();
  link.onEnd(() => cancel());
};
