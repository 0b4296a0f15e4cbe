/** The language of GoDice: bytes into values and back (docs/godice-protocol.md). */
export * from './command.js';
export * from './faces.js';
export * from './name.js';
export * from './notification.js';
export * from './notification-codec.js';
