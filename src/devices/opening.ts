import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { Link } from '../ble/ports.js';

/** Opens a device on a link that was just made; if that fails, or `signal` aborts it, the link is ended. */
export const openedOn =
  <E, A>(link: Link, signal: AbortSignal, open: TE.TaskEither<E, A>): TE.TaskEither<E, A> =>
  async () => {
    const abort = (): void => detached(link.disconnect());
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    const opened = await open();
    signal.removeEventListener('abort', abort);
    if (E.isLeft(opened)) await link.disconnect();
    return opened;
  };
