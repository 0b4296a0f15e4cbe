/** The ESPHome native API of Bluetooth proxies and their clients: messages, frames, connections. */
export * from './connection.js';
export * from './encrypted-frames.js';
export type { FrameError, Framing, FramingUser } from './framing.js';
export * from './identifiers.js';
export * from './messages.js';
export { NOISE_PROTOCOL, readKey } from './noise.js';
export * from './plain-frames.js';
export * from './port.js';
