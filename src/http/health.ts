import * as TE from 'fp-ts/lib/TaskEither.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { JsonRoute } from './route.js';

export interface Health {
  /** Whether the service can do its work now; if not, `why` is a sentence. */
  readonly ready: boolean;
  readonly why: string;
  /** What else `GET /health` tells. */
  readonly details: JsonRecord;
}

/** `GET /health` answers as long as the process serves; `GET /ready` is 503 while the service cannot work. */
export const healthRoutes = (read: () => Health): readonly JsonRoute[] => [
  {
    method: 'GET',
    path: '/health',
    body: 'ignored',
    handler: () => {
      const { ready, details } = read();
      return TE.right({ status: ready ? 'ok' : 'degraded', ...details });
    },
  },
  {
    method: 'GET',
    path: '/ready',
    body: 'ignored',
    handler: () => {
      const { ready, why } = read();
      return ready
        ? TE.right({ status: 'ready' })
        : TE.left({ _tag: 'Unavailable', code: 'not_ready', message: why });
    },
  },
];
