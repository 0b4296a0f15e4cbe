/**
 * The network contract of the clock server: every request, result, event and REST answer as a codec. Requests are
 * decoded with them, answers are encoded with them, features check with them.
 */
import type * as t from 'io-ts';
import {
  anyInteger,
  anything,
  array,
  both,
  literal,
  union,
  type Fields,
  boolean,
  deviceAddress,
  integer,
  matching,
  nullable,
  number,
  object,
  objectWith,
  oneOf,
  tagged,
  text,
} from '../codecs/index.js';
import { base64, heldTime, MAX_PIECE, orHeld, timeOfDay } from './contract-values.js';
import { LANGUAGES, TEMPERATURE_UNITS, TIME_FORMATS } from './protocol/index.js';

export { ErrorBody } from '../http/errors.js';

const address = deviceAddress;
const slot = integer(0, 15);
const volume = integer(1, 5);
/** dBm; null while the adapter cannot tell. */
const rssi = nullable(anyInteger);
/** Per cent. */
const brightness = integer(0, 150, 10);
const level = integer(0, 100);
/** 8 hex digits: the signature of a tone. */
const ringtone = matching('8 hex digits', /^[0-9a-fA-F]{8}$/, (given) => given.toLowerCase());

const alarmFields = {
  slot,
  /** In the clock's own time zone. */
  time: timeOfDay,
  /** Bit 0 is Monday, bit 6 Sunday; 0 rings once. */
  repeat_mask: integer(0, 127),
  enabled: boolean,
  snooze: boolean,
};
export const Alarm = object(alarmFields);
export type Alarm = t.TypeOf<typeof Alarm>;
export const Alarms = array(Alarm, 'an array of alarms');

/** Settings of which a clock may hold more than a client may set: as much as their bytes have room for. */
const settable = {
  volume,
  night_start: timeOfDay,
  night_end: timeOfDay,
  /** East of UTC. */
  timezone_offset_minutes: integer(-720, 840, 6),
  screen_light_secs: integer(0, 30),
};
/** A request of which nothing is out of range. */
export const Settable = object({ command: object({ settings: objectWith({}, settable) }) });

const settingsFields = {
  volume: orHeld(settable.volume, integer(0, 255)),
  language: oneOf(LANGUAGES),
  time_format: oneOf(TIME_FORMATS),
  temperature_unit: oneOf(TEMPERATURE_UNITS),
  /** False: no alarm rings, whatever its own switch says. */
  alarms_enabled: boolean,
  timezone_offset_minutes: orHeld(settable.timezone_offset_minutes, integer(-1530, 1530, 6)),
  screen_light_secs: orHeld(settable.screen_light_secs, integer(0, 255)),
  brightness,
  night_brightness: brightness,
  night_mode_enabled: boolean,
  night_start: orHeld(settable.night_start, heldTime),
  night_end: orHeld(settable.night_end, heldTime),
  ringtone,
};
export const Settings = object(settingsFields);
export type Settings = t.TypeOf<typeof Settings>;
/** Any subset of the settings; what is out of the range of `Settable` must be what the clock holds. */
export const SettingsChange = objectWith({}, settingsFields);
export type SettingsChange = t.TypeOf<typeof SettingsChange>;

/** Degrees Celsius, and per cent of relative humidity. */
const reading = { temperature: number(-3276.8, 3276.7), humidity: number(0, 6553.5) };
export const Sensors = object(reading);
export type Sensors = t.TypeOf<typeof Sensors>;

const addressed = { address };
const command = <const N extends string, F extends Fields>(type: N, fields: F) =>
  object({ type: oneOf([type]), ...fields });

const commands = {
  scan: command('scan', { duration_secs: number(1, 600) }),
  connect: command('connect', addressed),
  disconnect: command('disconnect', addressed),
  sync_time: command('sync_time', addressed),
  read_alarms: command('read_alarms', addressed),
  set_alarm: command('set_alarm', { address, ...alarmFields }),
  delete_alarm: command('delete_alarm', { address, slot }),
  read_settings: command('read_settings', addressed),
  write_settings: command('write_settings', { address, settings: SettingsChange }),
  set_brightness: command('set_brightness', { address, value: brightness }),
  preview_ringtone: objectWith({ type: oneOf(['preview_ringtone']), address }, { volume }),
  read_firmware: command('read_firmware', addressed),
  read_battery: command('read_battery', addressed),
  subscribe_events: command('subscribe_events', addressed),
  unsubscribe_events: command('unsubscribe_events', addressed),
  upload_ringtone: objectWith(
    {
      type: oneOf(['upload_ringtone']),
      address,
      /** Bytes sent before this piece. */
      offset: integer(0, Number.MAX_SAFE_INTEGER),
      data: base64(MAX_PIECE),
      last: boolean,
    },
    /** Of the whole file; to be given with the first piece. */
    { format: oneOf(['wav', 'pcm_u8_8k']) },
  ),
};

export const Command = tagged('type', commands);
export type Command = t.TypeOf<typeof Command>;
export type CommandName = keyof typeof commands;
export type CommandOf<N extends CommandName> = Extract<Command, { readonly type: N }>;
const commandName = oneOf(Object.keys(commands));

/** The two parts of a request, read one after the other: with a good id its errors bear it. */
export const RequestId = object({ id: anyInteger });
export const RequestCommand = object({ command: Command });

/** `advertisement` null while none with a reading was heard, its battery null on old firmware. */
export const DiscoveredClock = object({
  address,
  name: text,
  rssi,
  advertisement: nullable(object({ ...reading, battery: nullable(level) })),
});
export type DiscoveredClock = t.TypeOf<typeof DiscoveredClock>;

/** `heard_at`: when an advertisement told the level, ISO 8601, UTC; null for what the battery service says. */
export const BatteryAnswer = object({
  address,
  battery: level,
  source: oneOf(['advertisement', 'gatt']),
  heard_at: nullable(text),
});
export type BatteryAnswer = t.TypeOf<typeof BatteryAnswer>;
export const FirmwareAnswer = object({ address, firmware: text });

/** The `result` of each command. */
export const results = {
  scan: array(DiscoveredClock, 'an array of clocks'),
  connect: object({ address, connected: literal(true), paired: boolean }),
  disconnect: object({ address, disconnected: literal(true) }),
  /** ISO 8601, UTC. */
  sync_time: object({ address, time: text }),
  read_alarms: Alarms,
  set_alarm: Alarm,
  delete_alarm: object({ address, slot, deleted: literal(true) }),
  read_settings: Settings,
  write_settings: Settings,
  set_brightness: object({ address, brightness }),
  preview_ringtone: object({ address, previewing: literal(true) }),
  read_firmware: FirmwareAnswer,
  read_battery: BatteryAnswer,
  subscribe_events: object({ address, subscribed: literal(true) }),
  unsubscribe_events: object({ address, subscribed: literal(false) }),
  /** `received` bytes of the file so far; `ringtone` is the signature of the tone once it is in use. */
  upload_ringtone: object({ address, received: anyInteger, ringtone: nullable(ringtone) }),
} satisfies Readonly<Record<CommandName, t.Mixed>>;

/** The unused one of `result` and `error` is null. An unreadable request is answered with the id 0. */
export const Response = object({ id: anyInteger, result: anything, error: nullable(text) });
/** With `?detail=full`, errors have a code too. */
export const DetailedError = object({ id: anyInteger, result: literal(null), error: text, code: text });

/** `/ws?detail=full`. */
export const StreamQuery = objectWith({}, { detail: oneOf(['full']) });

const event = <const N extends string, F extends Fields>(name: N, data: F) =>
  object({ event: oneOf([name]), data: object(data) });

/** One event, as the plain stream has it. */
export const ClockEvent = union(
  [
    event('sensor_update', reading),
    event('battery_level', { level }),
    event('disconnected', {}),
    event('reconnected', {}),
    event('ack', { command: commandName, status: oneOf(['success', 'failure']) }),
    event('advertisement', {
      address,
      name: text,
      rssi,
      ...reading,
      battery: nullable(level),
    }),
    /** Bytes of audio. */
    event('upload_progress', { sent: anyInteger, total: anyInteger }),
  ],
  'a clock event',
);
export type ClockEvent = t.TypeOf<typeof ClockEvent>;

/** One event, as `?detail=full` has it. */
export const DetailedClockEvent = both(
  ClockEvent,
  object({
    address,
    /** ISO 8601, UTC. */
    time: text,
    /** Rises by one with every event of the server. */
    seq: anyInteger,
    /** Another one after each start of the server. */
    instance: text,
  }),
  'a clock event in full',
);
export type DetailedClockEvent = t.TypeOf<typeof DetailedClockEvent>;

/** The `{address}` in a path. */
export const AddressParam = object({ address });

export const Devices = array(object({ address, name: text, rssi }), 'an array of devices');
