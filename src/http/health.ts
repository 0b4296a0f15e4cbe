import * as TE from 'fp-ts/lib/TaskEither.js';
import type { ServerError } from './errors.js';

export interface Health<Details> {
  /** Whether the service can do its work now; if not, `why` is a sentence. */
  readonly ready: boolean;
  readonly why: string;
  /** What else `GET /health` tells. */
  readonly details: Details;
}

/** The handlers of `healthEndpoints`. */
export const healthHandlers = <Details extends object>(read: () => Health<Details>) => ({
  health: (): TE.TaskEither<ServerError, Details & { readonly status: 'ok' | 'degraded' }> => {
    const { ready, details } = read();
    return TE.right({ ...details, status: ready ? 'ok' : 'degraded' });
  },
  ready: (): TE.TaskEither<ServerError, { readonly status: 'ready' }> => {
    const { ready, why } = read();
    return ready
      ? TE.right({ status: 'ready' })
      : TE.left({ _tag: 'Unavailable', code: 'not_ready', message: why });
  },
});
