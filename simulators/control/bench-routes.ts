import { type Route } from '../../src/http/index.js';
import { resetRoute, traceRoute } from './air-routes.js';
import type { Bench } from './bench.js';

/** What there is of the control API where no air is simulated. */
export const benchRoutes = (bench: Bench): readonly Route[] => [
  traceRoute(bench.trace),
  resetRoute(
    (seed) => bench.reset(seed),
    () => ({ devices: bench.list().length }),
  ),
];
