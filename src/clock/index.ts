/** The clock server. */
export type { ClockConfig, ClockLimits } from './config.js';
export { DEFAULT_LIMITS } from './config.js';
export type { ClockServer, ClockServerOptions, StartError } from './server.js';
export { startClockServer, startSentence } from './server.js';
