/** The dice server. */
export type { DiceConfig, DiceLimits } from './config.js';
export { DEFAULT_LIMITS } from './config.js';
export type { DiceServer, DiceServerOptions } from './server.js';
export { startDiceServer } from './server.js';
