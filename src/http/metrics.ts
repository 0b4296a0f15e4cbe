import { pipe } from 'fp-ts/lib/function.js';
import * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { metricsEndpoints, type TypesOf } from '../contract/index.js';
import type { Metrics } from '../metrics/index.js';
import { serverRoutes, type Route } from './route.js';

export const metricsRoutes = ({ text }: Metrics): readonly Route[] =>
  serverRoutes<TypesOf<typeof metricsEndpoints>>(metricsEndpoints, {
    metrics: () =>
      TE.fromTask(
        pipe(
          text,
          T.map((figures) => Buffer.from(figures)),
        ),
      ),
  });
