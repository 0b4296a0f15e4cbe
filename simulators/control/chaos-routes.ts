import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { notConnected, type JsonRoute, type ServerError } from '../../src/http/index.js';
import { decodeChaos } from './chaos-plan.js';
import type { World } from './world.js';

const noChaos = notConnected('no_chaos', 'there is no chaos');

const some = (what: Json | undefined): TE.TaskEither<ServerError, Json> =>
  TE.fromEither(E.fromNullable(noChaos)(what));

/** Faults by chance: a plan that runs, and what it has done. */
export const chaosRoutes = ({ chaos }: World): readonly JsonRoute[] => [
  { method: 'GET', path: '/chaos', body: 'ignored', handler: () => some(chaos.report) },
  { method: 'GET', path: '/chaos/schedule', body: 'ignored', handler: () => some(chaos.schedule) },
  {
    method: 'POST',
    path: '/chaos',
    body: 'required',
    handler: ({ body }) =>
      pipe(
        decodeChaos(body),
        TE.fromEither,
        TE.chain((plan) => {
          chaos.start(plan);
          return some(chaos.report);
        }),
      ),
  },
  {
    method: 'DELETE',
    path: '/chaos',
    body: 'ignored',
    handler: () => some(chaos.stop()),
  },
];
