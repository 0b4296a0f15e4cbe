/** The language of Pixels dice: bytes into values and back (docs/pixels-protocol.md). */
export type { AdvertisedIdentity, AdvertisedState } from './advertisement.js';
export {
  decodeManufacturerData,
  decodeServiceData,
  defaultName,
  encodeManufacturerData,
  encodeServiceData,
} from './advertisement.js';
export type { Blink, Command, PowerOperation } from './command.js';
export {
  ALL_FACES,
  MAX_NAME_BYTES,
  POWER_OPERATIONS,
  REQUEST_MODES,
  decodeCommand,
  encodeCommand,
} from './command.js';
export type { Colorway, DieType, KnownDieType, Shape } from './die-type.js';
export { COLORWAYS, DIE_TYPES, KNOWN_DIE_TYPES, guessType, ledCountOf, shapeOf } from './die-type.js';
export { faceOf, facesOf, indexesOf, isOldBuild } from './faces.js';
export type { BatteryState, RollState } from './fields.js';
export { BATTERY_STATES, ROLL_STATES, isCharging } from './fields.js';
export type { Profile, ProfileIds } from './gatt.js';
export { PROFILES, SERVICE_DATA_UUID, profileIds } from './gatt.js';
export type { Identity } from './identity.js';
export type { Notification } from './notification.js';
export { decodeNotification, encodeNotification } from './notification.js';
