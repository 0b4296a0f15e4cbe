import type { Registry } from 'prom-client';
import { lazily } from '../async/tasks.js';
import { openMetrics, type Metrics } from './metrics.js';

/** Gauges that prom-client names like counters, of which Prometheus' checks complain. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

const collect = async (register: Registry): Promise<void> => {
  const { collectDefaultMetrics } = await import('prom-client');
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
};

/**
 * The metrics of a server in a separate process, with metrics of the process: memory, descriptors, event loop. The first
 * reading starts the collection of the latter, since their collectors load slowly.
 */
export const openProcessMetrics = (server: string): Metrics => {
  const metrics = openMetrics(server);
  const collecting = lazily(() => collect(metrics.registry));
  return {
    ...metrics,
    text: async () => {
      await collecting();
      return metrics.text();
    },
  };
};
