/** The operations of a server, independent of any transport. */
export { Broadcast, type Position, type Receiver, type Stamp } from './broadcast.js';
export * from './device-errors.js';
export * from './errors.js';
export * from './executor.js';
export * from './limits.js';
export * from './operation.js';
