/** The language of Pixels dice: bytes into values and back (docs/pixels-protocol.md). */
export * from './advertisement.js';
export * from './command.js';
export * from './die-type.js';
export * from './faces.js';
export * from './fields.js';
export * from './gatt.js';
export * from './identity.js';
export * from './notification.js';
