/** The language of GoDice: bytes into values and back (docs/godice-protocol.md). */
export type { Command, Detection, Pulse, PulseMode } from './command.js';
export {
  DEFAULT_DETECTION,
  DEFAULT_INITIALISE,
  DEFAULT_SENSITIVITY,
  PULSE_MODES,
  decodeCommand,
  encodeCommand,
} from './command.js';
export { faceOf, nearestVector, vectorFor } from './faces.js';
export { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from './gatt.js';
export type { DieColour, DieName } from './name.js';
export { DIE_COLOURS, formatName, isDiceName, parseName } from './name.js';
export type { Acceleration, Notification, RestTag } from './notification.js';
export { decodeNotification, encodeNotification } from './notification-codec.js';
