import { identity, pipe } from 'fp-ts/lib/function.js';
import * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { metricsEndpoints, type TypesOf } from '../contract/index.js';
import type { Metrics } from '../metrics/index.js';
import type { ServerError } from '../operations/index.js';
import { routesOf, type Route } from './route.js';

export const metricsRoutes = ({ text }: Metrics): readonly Route[] =>
  routesOf<TypesOf<typeof metricsEndpoints>, ServerError>(
    metricsEndpoints,
    {
      metrics: () =>
        TE.fromTask(
          pipe(
            text,
            T.map((figures) => Buffer.from(figures)),
          ),
        ),
    },
    identity,
  );
