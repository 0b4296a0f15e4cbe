/** The language of the Qingping CGD1: bytes into values and back (docs/cgd1-protocol.md). */
export type { MiBeacon, ReadingAdvertisement } from './advertisement.js';
export {
  CLOCK_NAME,
  isClockName,
  decodeMiBeacon,
  decodeReadingAdvertisement,
  encodeMiBeacon,
  encodeReadingAdvertisement,
} from './advertisement.js';
export type { Alarm } from './alarm.js';
export { ALARM_PACKETS, ALARM_SLOTS, ALARMS_IN_PACKET, Days } from './alarm.js';
export {
  AUDIO_BLOCK,
  AUDIO_BLOCKS_PER_ACK,
  AUDIO_MTU,
  AUDIO_RATE,
  MAX_AUDIO,
  audioBlocks,
  isAcknowledged,
  padAudio,
} from './audio.js';
export type { Channel, Command, CommandTag } from './command.js';
export {
  COMMAND_TAGS,
  TOKEN_BYTES,
  channelOf,
  decodeCommand,
  encodeCommand,
  isAckOf,
  opcodeOf,
  tokenIndex,
} from './command.js';
export {
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  CONSTANT_BATTERY,
  CLOCK_SERVICE,
  DATA_NOTIFY,
  DATA_WRITE,
  READING_NOTIFY,
  READING_SERVICE_DATA,
  XIAOMI_SERVICE_DATA,
  paddedUuid,
} from './gatt.js';
export type { Ack, AckOutcome, Notification } from './notification.js';
export { ackOutcome } from './notification.js';
export { FIRMWARE_ECHO, decodeNotification, encodeNotification } from './notification-codec.js';
export type { Reading } from './reading.js';
export { decodeBattery, decodeReading, encodeBattery, encodeReading } from './reading.js';
export type { RingtoneName } from './settings.js';
export { CUSTOM_SIGNATURES, RINGTONES } from './settings.js';
export type { Language, Settings, SettingsRecord, TemperatureUnit, TimeFormat } from './settings.js';
export {
  BRIGHTNESS_STEP,
  LANGUAGES,
  SETTINGS_BYTES,
  TEMPERATURE_UNITS,
  TIME_FORMATS,
  ZONE_STEP,
} from './settings.js';
export { decodeSettings, encodeSettings, type SettingsChanges } from './settings-codec.js';
export { formatTimeOfDay, parseTimeOfDay, type TimeOfDay } from './alarm.js';
