/** The clock server. */
export type { ClockConfig, ClockLimits } from './config.js';
export { DEFAULT_LIMITS } from './config.js';
export type { ClockServerOptions, StartError } from './server.js';
export { startClockServer, startMessage } from './server.js';
export type { DeviceServer as ClockServer } from '../server/device-server.js';
