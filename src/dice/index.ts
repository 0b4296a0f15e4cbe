/** The dice server. */
export type { DiceConfig, DiceLimits } from './config.js';
export { DEFAULT_LIMITS } from './config.js';
export type { DiceServerOptions } from './server.js';
export { startDiceServer } from './server.js';
export type { DeviceServer as DiceServer } from '../server/device-server.js';
