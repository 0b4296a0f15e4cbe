/** The metrics of servers, for Prometheus. */
export { NO_COMMAND, openMetrics, type Metrics } from './metrics.js';
export { openProcessMetrics } from './process.js';
export { measuredRadio, type RadioTrace } from './radio.js';
