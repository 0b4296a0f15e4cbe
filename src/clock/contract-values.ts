/** Values of the contract: times and bytes, and the records of a clock. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { label } from '../contract/index.js';
import {
  about,
  anyInteger,
  array,
  atLeastOne,
  boolean,
  described,
  deviceAddress,
  nullable,
  number,
  objectWith,
  oneOf,
  text,
  integer,
  matching,
  named,
  object,
  type AnyCodec,
  type Codec,
  type JsonSchema,
} from '../codecs/index.js';
import {
  LANGUAGES,
  TEMPERATURE_UNITS,
  TIME_FORMATS,
  formatTimeOfDay,
  parseTimeOfDay,
  type TimeOfDay,
} from '../protocols/cgd1/settings.js';
import { isTimeZone, usualName } from './time-zone.js';

const describing = ({ schema: { input } }: AnyCodec): JsonSchema => {
  const { description } = input;
  return description === undefined ? {} : { description };
};

/** A codec of all values that a clock may have stored, with the description of the values that a client may set. */
const allowStoredRange = <A, O>(settable: Codec<A, O>, held: Codec<A, O>): Codec<A, O> =>
  described(
    new t.Type<A, O>(settable.name, held.is, held.validate, held.encode),
    {
      anyOf: [
        settable.schema.input,
        { ...held.schema.input, description: 'Only if the clock has stored it already' },
      ],
    },
    { ...held.schema.output, ...describing(settable) },
  );

const time = (text: Codec<string>, parts: AnyCodec & t.Type<TimeOfDay>): Codec<TimeOfDay, string> =>
  described(
    new t.Type<TimeOfDay, string>(
      text.name,
      parts.is,
      (value, context) =>
        typeof value === 'object' && value !== null
          ? parts.validate(value, context)
          : pipe(text.validate(value, context), E.map(parseTimeOfDay)),
      formatTimeOfDay,
    ),
    { anyOf: [text.schema.input, parts.schema.input] },
    text.schema.output,
  );

/** Decodes `"HH:MM"` or an object `{hour, minute}`; encodes `"HH:MM"`. */
const timeOfDay = time(
  matching('a time from "00:00" to "23:59"', /^(?:[01]\d|2[0-3]):[0-5]\d$/),
  named(
    'TimeOfDay',
    'A time in numbers',
    object({ hour: about('0 to 23', integer(0, 23)), minute: about('0 to 59', integer(0, 59)) }),
  ),
);

/** The two bytes of a stored time: `"07:00"`, but also `"25:61"` and `"255:00"`. */
const storedTime = time(
  matching(
    'two bytes as "HH:MM", each 00 to 255',
    /^(?:\d\d|1\d\d|2[0-4]\d|25[0-5]):(?:\d\d|1\d\d|2[0-4]\d|25[0-5])$/,
  ),
  named(
    'StoredTime',
    'Two bytes in the place of a time',
    object({ hour: about('One byte', integer(0, 255)), minute: about('One byte', integer(0, 255)) }),
  ),
);

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** Bytes written as base64 with its padding, in browsers too. */
export const base64 = (maxBytes: number): Codec<Uint8Array, string> =>
  described(
    new t.Type<Uint8Array, string>(
      `base64 of at most ${maxBytes} bytes`,
      isBytes,
      (value, context) => {
        const fits =
          typeof value === 'string' &&
          value.length % 4 === 0 &&
          value.length <= Math.ceil(maxBytes / 3) * 4 &&
          /^[A-Za-z0-9+/]*={0,2}$/.test(value);
        const bytes = Uint8Array.from(atob(fits ? value : ''), (character) => character.charCodeAt(0));
        return fits && bytes.length <= maxBytes ? t.success(bytes) : t.failure(value, context);
      },
      (bytes) => btoa(String.fromCharCode(...bytes)),
    ),
    {
      type: 'string',
      contentEncoding: 'base64',
      maxLength: Math.ceil(maxBytes / 3) * 4,
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    },
  );

export const address = deviceAddress;
export const slot = about('One of the 16 places that a clock has for alarms', integer(0, 15));
export const volume = about('1 is the quietest', integer(1, 5));
export const rssi = about(
  'Signal strength, dBm; null while the adapter does not know it',
  nullable(anyInteger),
);
export const brightness = about(
  'Per cent, in steps of 10; the app sets up to 100, a clock accepts up to 150',
  integer(0, 150, 10),
);
export const level = about('Per cent', integer(0, 100));
export const ringtone = about(
  'The signature of a tone',
  matching('8 hex digits', /^[0-9a-fA-F]{8}$/, (digits) => digits.toLowerCase()),
);
export const name = about('The last name that it advertised; empty if none was received', text);
export const batteryOrNull = about(
  'Per cent; null: the firmware is too old to advertise it',
  nullable(level),
);

export const alarmFields = {
  slot,
  time: about("In the clock's own time zone", timeOfDay),
  repeat_mask: about('The days: bit 0 is Monday, bit 6 Sunday; 0 rings once', integer(0, 127)),
  enabled: about('Whether it rings', boolean),
  snooze: about('Whether it may be put off', boolean),
};
export const Alarm = named('Alarm', 'An alarm of one of the slots', object(alarmFields));
export type Alarm = t.TypeOf<typeof Alarm>;
export const Alarms = array(Alarm, 'an array of alarms');

/** The days in the order of the bits of `repeat_mask`. */
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Day = (typeof DAYS)[number];

const day = about('Whether the alarm rings on it', boolean);
const daysOfWeek: Readonly<Record<Day, typeof day>> = {
  ...{ monday: day, tuesday: day, wednesday: day, thursday: day, friday: day, saturday: day, sunday: day },
};

export const alarmChange = {
  time: alarmFields.time,
  enabled: alarmFields.enabled,
  snooze: alarmFields.snooze,
  days: named(
    'Days',
    'At least one day of the week; days that are left out stay as they are',
    atLeastOne({}, daysOfWeek),
  ),
};

/** Settings of which a clock may have stored more values than a client may set: all that fit their bytes. */
export const settable = {
  volume,
  night_start: about('In the time zone of the clock', timeOfDay),
  night_end: about('In the time zone of the clock', timeOfDay),
  timezone_offset_minutes: about('East of UTC; a clock holds steps of 6 minutes', integer(-720, 840, 6)),
  screen_light_secs: about('How long the display stays lit after a touch, seconds', integer(0, 30)),
};
/** A request with all settings in the range that clients may set. */
export const Settable = object({ command: object({ settings: objectWith({}, settable) }) });

const isZone = (value: unknown): value is string => typeof value === 'string' && isTimeZone(value);

const zoneName = described(
  new t.Type<string>(
    'an IANA time zone such as Europe/Berlin',
    isZone,
    (value, context) => (isZone(value) ? t.success(usualName(value)) : t.failure(value, context)),
    t.identity,
  ),
  { type: 'string' },
);

const ZONE =
  'An IANA time zone, such as Europe/Berlin, that the offset follows, also at each change of summer time; null: the offset stays';

export const settingsFields = {
  volume: allowStoredRange(settable.volume, integer(0, 255)),
  language: named('Language', 'The language of the display', oneOf(LANGUAGES)),
  time_format: named('TimeFormat', 'The time format of the display', oneOf(TIME_FORMATS)),
  temperature_unit: named('TemperatureUnit', 'The temperature unit of the display', oneOf(TEMPERATURE_UNITS)),
  alarms_enabled: about('False: no alarm rings, even one that is enabled', boolean),
  timezone_offset_minutes: allowStoredRange(settable.timezone_offset_minutes, integer(-1530, 1530, 6)),
  timezone: about(ZONE, nullable(text)),
  screen_light_secs: allowStoredRange(settable.screen_light_secs, integer(0, 255)),
  brightness,
  night_brightness: brightness,
  night_mode_enabled: about('Whether the night has its own brightness', boolean),
  night_start: allowStoredRange(settable.night_start, storedTime),
  night_end: allowStoredRange(settable.night_end, storedTime),
  ringtone,
};
export const Settings = named('Settings', 'The settings of a clock', object(settingsFields));
export type Settings = t.TypeOf<typeof Settings>;
/** At least one of the settings, with a zone that this program knows; a value out of the range of `Settable` must equal the setting of the clock. */
export const SettingsChange = named(
  'SettingsChange',
  'At least one of the settings; a value that a client may not set must be the stored value of the clock',
  atLeastOne({}, { ...settingsFields, timezone: about(ZONE, nullable(zoneName)) }),
);
export type SettingsChange = t.TypeOf<typeof SettingsChange>;

/** Temperature and humidity. */
export const reading = {
  temperature: about('Degrees Celsius; the range is that of two bytes', number(-3276.8, 3276.7)),
  humidity: about('Per cent of relative humidity; the range is that of two bytes', number(0, 6553.5)),
};
export const Sensors = named(
  'Sensors',
  'Degrees Celsius, and per cent of relative humidity',
  object(reading),
);
export type Sensors = t.TypeOf<typeof Sensors>;

/** `advertisement`: null until an advertisement with a reading is received; its battery: null on old firmware. */
export const DiscoveredClock = named(
  'DiscoveredClock',
  'A clock that advertises; `rssi` in dBm',
  object({
    address,
    name,
    rssi,
    advertisement: about(
      'Null until an advertisement with a reading is received',
      nullable(object({ ...reading, battery: batteryOrNull })),
    ),
  }),
);
export type DiscoveredClock = t.TypeOf<typeof DiscoveredClock>;

export const BatteryAnswer = named(
  'Battery',
  'The level, per cent, its source, and the time of its advertisement',
  object({
    address,
    battery: level,
    source: about(
      '`gatt`: the battery service, which is always 99 on real clocks',
      oneOf(['advertisement', 'gatt']),
    ),
    heard_at: about('When the advertisement was received, ISO 8601, UTC; null of `gatt`', nullable(text)),
  }),
);
export type BatteryAnswer = t.TypeOf<typeof BatteryAnswer>;
export const FirmwareAnswer = named(
  'Firmware',
  'The version of the firmware',
  object({ address, firmware: about('The version, such as 1.0.1_0130', text) }),
);
export type FirmwareAnswer = t.TypeOf<typeof FirmwareAnswer>;

export const Device = named(
  'Device',
  'A clock that is connected; `rssi` in dBm',
  object({ address, name, rssi }),
);
export type Device = t.TypeOf<typeof Device>;

/** The message of a server to the fleet about a clock. */
export const State = named(
  'ClockState',
  'The state of a clock; null: not known yet, or not any more',
  object({
    address,
    label,
    name,
    rssi,
    connected: about('False during a loss of its link, while the server reconnects', boolean),
    temperature: about('Degrees Celsius; null until it is known', nullable(reading.temperature)),
    humidity: about('Per cent of relative humidity; null until it is known', nullable(reading.humidity)),
    battery: about('Per cent; null until it is known', nullable(level)),
    firmware: about('The version, such as 1.0.1_0130; null until it is known', nullable(text)),
    settings: about('Null until they are known', nullable(Settings)),
    alarms: about('Null until they are known', nullable(Alarms)),
    next_alarm: about('ISO 8601, UTC; null: no alarm will ring, or it is not known', nullable(text)),
  }),
);
export type State = t.TypeOf<typeof State>;
