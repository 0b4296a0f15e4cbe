/** The language of the Qingping CGD1: bytes into values and back (docs/cgd1-protocol.md). */
export * from './advertisement.js';
export * from './alarm.js';
export * from './audio.js';
export * from './command.js';
export * from './gatt.js';
export * from './notification.js';
export * from './notification-codec.js';
export * from './reading.js';
export * from './settings.js';
export * from './settings-codec.js';
