import { collectDefaultMetrics } from 'prom-client';
import { openMetrics, type Metrics } from './metrics.js';

/** Gauges that prom-client names like counters, whereupon Prometheus' own checks complain. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The metrics of a server that has a process to itself, with those of the process: memory, descriptors, event loop. */
export const openProcessMetrics = (server: string): Metrics => {
  const metrics = openMetrics(server);
  collectDefaultMetrics({ register: metrics.registry });
  for (const name of MISNAMED) metrics.registry.removeSingleMetric(name);
  return metrics;
};
