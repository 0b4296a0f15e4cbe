/** The operations of a server, by any transport; it knows none. */
export { Broadcast, type Position, type Receiver, type Stamp } from './broadcast.js';
export * from './device-errors.js';
export * from './errors.js';
export * from './executor.js';
export * from './limits.js';
export * from './operation.js';
