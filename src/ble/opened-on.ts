import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { Link } from './ports.js';

/** Opens a device on a new link; ends the link if that fails, after a call of `failed`, or if `signal` aborts it. */
export const openedOn =
  <Failure, A>(
    link: Link,
    signal: AbortSignal | undefined,
    open: TE.TaskEither<Failure, A>,
    failed: (cause: Failure) => void = () => undefined,
  ): TE.TaskEither<Failure, A> =>
  async () => {
    const abort = (): void => detached(link.disconnect());
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) abort();
    const opened = await open();
    signal?.removeEventListener('abort', abort);
    if (E.isLeft(opened)) {
      failed(opened.left);
      await link.disconnect();
    }
    return opened;
  };
