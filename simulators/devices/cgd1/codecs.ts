/** The bodies of the control API for a clock. */
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import {
  AUTH_NOTIFY,
  BATTERY_LEVEL,
  CLOCK_NAME,
  DATA_NOTIFY,
  Days,
  READING_NOTIFY,
  paddedUuid,
} from '../../../src/protocols/cgd1/index.js';
import * as codecs from '../../../src/codecs/index.js';
import { FACTORY_FIRMWARE, FACTORY_RECORD, FACTORY_TIME } from './factory.js';
import { defaulted, level, notification, printable } from '../fields.js';

/** The room for the name in a scan response, without its header and the final NUL. */
const MAX_NAME = 28;

/** The room for the version in a notification with the default ATT_MTU. */
const MAX_FIRMWARE = 18;

/** The largest notification with the default ATT_MTU. */
const MAX_NOTIFICATION = 20;

/** A month: every alarm rings in it. */
const MAX_SECS = 31 * 24 * 3600;

const { about } = codecs;

const temperature = about('Degrees Celsius; unchanged if left out', codecs.number(-40, 85));
const humidity = about('Per cent of relative humidity; unchanged if left out', codecs.number(0, 100));
const secs = (max: number) => about("Seconds of the clock's time", codecs.number(0, max));
const timeOfDay = codecs.matching('a time such as "07:30"', /^(?:[01]\d|2[0-3]):[0-5]\d$/);

const hexDigits = (count: number): codecs.Codec<string> =>
  codecs.matching(`${count} hex digits`, new RegExp(`^[0-9a-fA-F]{${count}}$`), (digits) =>
    digits.toLowerCase(),
  );

const brightness = about('Per cent, in steps of 10', codecs.integer(0, 150, 10));

const SettingsBody = codecs.closedObject(
  {},
  {
    volume: about('1 is the quietest', codecs.integer(1, 5)),
    language: about('Of the display', codecs.oneOf(['zh', 'en'])),
    time_format: about('Of the display', codecs.oneOf(['24h', '12h'])),
    temperature_unit: about('Of the display', codecs.oneOf(['C', 'F'])),
    alarms_enabled: about('False: no alarm rings', codecs.boolean),
    timezone_offset_minutes: about(
      'East of UTC; rounded to steps of 6 minutes, which a clock holds',
      codecs.integer(-720, 840),
    ),
    screen_light_secs: about('How long the display stays lit after a touch, seconds', codecs.integer(0, 255)),
    brightness,
    night_brightness: brightness,
    night_mode_enabled: about('Whether the night has its own brightness', codecs.boolean),
    night_start: about('In the time zone of the clock', timeOfDay),
    night_end: about('In the time zone of the clock', timeOfDay),
    ringtone: about('The signature of a tone', hexDigits(8)),
  },
);
export type SettingsBody = t.TypeOf<typeof SettingsBody>;

const AlarmBody = codecs.closedObject({
  slot: about('One of its 16 places for alarms', codecs.integer(0, 15)),
  time: about('In the time zone of the clock', timeOfDay),
  repeat_mask: defaulted(
    'The days: bit 0 is Monday, bit 6 Sunday; 0 rings once',
    codecs.integer(0, Days.everyDay),
    0,
  ),
  enabled: defaulted('Whether it rings', codecs.boolean, true),
  snooze: defaulted('Whether it may be put off', codecs.boolean, false),
});
export type AlarmBody = t.TypeOf<typeof AlarmBody>;

const instant = codecs.checked(
  codecs.matching(
    'a time in UTC such as 2026-03-01T07:30:00Z',
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/,
  ),
  E.fromPredicate(
    (text) => !Number.isNaN(Date.parse(text)),
    (text) => `time must be an existing date and time, got ${JSON.stringify(text)}`,
  ),
);

export const StartBody = codecs.closedObject({
  name: defaulted('The name that it advertises; empty: none', printable(MAX_NAME), CLOCK_NAME),
  temperature: defaulted('Degrees Celsius', temperature, 21.5),
  humidity: defaulted('Per cent of relative humidity', humidity, 45),
  battery: codecs.withDefault(level, 100),
  firmware: defaulted('The text of its version', printable(MAX_FIRMWARE), FACTORY_FIRMWARE),
  time: defaulted('Its own time, UTC', instant, new Date(FACTORY_TIME).toISOString()),
  token: defaulted('The token that it is bound to; null: none', codecs.nullable(hexDigits(32)), null),
  alarms: codecs.withDefault(codecs.array(AlarmBody, 'an array of alarms'), []),
  settings: defaulted('Changes of `settings_hex`', SettingsBody, {}),
  settings_hex: defaulted(
    'All 18 bytes of the record of settings',
    hexDigits(36),
    FACTORY_RECORD.toString('hex'),
  ),
  advertised_header: defaulted('The first byte of its advertisement, hex', codecs.oneOf(['08', '88']), '08'),
  advertised_battery_flag: defaulted('Bit 7 of the advertised battery level', codecs.boolean, false),
  advertised_battery: defaulted(
    'False: it advertises no battery level, as old firmware',
    codecs.boolean,
    true,
  ),
});
export type StartBody = t.TypeOf<typeof StartBody>;

/** The notifying characteristics of a clock, by the short UUIDs that people write. */
const notifying = [AUTH_NOTIFY, DATA_NOTIFY, READING_NOTIFY, BATTERY_LEVEL].map(paddedUuid);

/** A 16-bit UUID, or the same in the long form: on top of Bluetooth's base UUID. */
const notifyCharacteristic = about(
  'By its UUID',
  codecs.matching(
    `one of ${notifying.join(', ')}, or its long form`,
    new RegExp(
      `^(?:0000(?=.{28}))?(?:${notifying.map(codecs.anyCase).join('|')})(?:-?0000-?1000-?8000-?${codecs.anyCase('00805f9b34fb')})?$`,
    ),
    (uuid) => (uuid.length > 4 ? uuid.slice(4, 8) : uuid).toLowerCase(),
  ),
);

export const actionCodecs = {
  sensors: codecs.closedObject({}, { temperature, humidity }),
  battery: codecs.closedObject({ level }),
  button: codecs.closedObject({ secs: secs(60) }),
  advance: codecs.closedObject({ secs: secs(MAX_SECS) }),
  notify: codecs.closedObject({ characteristic: notifyCharacteristic, hex: notification(MAX_NOTIFICATION) }),
};
export type ActionCodecs = typeof actionCodecs;
