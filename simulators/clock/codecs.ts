/** The bodies of the control API for a clock. */
import * as t from 'io-ts';
import {
  ALARM_PACKETS,
  AUTH_NOTIFY,
  BATTERY_LEVEL,
  CLOCK_NAME,
  COMMAND_TAGS,
  DATA_NOTIFY,
  Days,
  READING_NOTIFY,
  paddedUuid,
  type CommandTag,
} from '../../src/clock/cgd1/protocol/index.js';
import * as codecs from '../../src/codecs/index.js';
import { FACTORY_FIRMWARE, FACTORY_RECORD, FACTORY_TIME } from './factory.js';
import { commandName } from './json.js';
import {
  ACK_FORMS,
  BATTERY_SERVICES,
  USUAL_BEHAVIOUR,
  FIRMWARE_FORMS,
  MAX_MTU,
  WRONG_TOKEN_MODES,
} from './behaviour.js';

/** The most that a scan response has room for beside the header of the name and the NUL behind it. */
const MAX_NAME = 28;

/** The room of the answer in a notification of the default ATT_MTU. */
const MAX_FIRMWARE = 18;

const MAX_MS = 3_600_000;

/** A month: every alarm rings in it. */
const MAX_SECS = 31 * 24 * 3600;

/** ATT_MTU of a link without an exchange (Core 5.4 Vol 3 Part F 3.2.8). */
const MIN_MTU = 23;

const temperature = codecs.number(-40, 85);
const humidity = codecs.number(0, 100);
const level = codecs.integer(0, 100);
const timeOfDay = codecs.matching('a time such as "07:30"', /^(?:[01]\d|2[0-3]):[0-5]\d$/);

const ascii = (most: number): codecs.Codec<string> =>
  codecs.matching(
    `a text of at most ${most} printable ASCII characters`,
    new RegExp(`^[\\x20-\\x7e]{0,${most}}$`),
  );

const hexDigits = (count: number): codecs.Codec<string> =>
  codecs.matching(`${count} hex digits`, new RegExp(`^[0-9a-fA-F]{${count}}$`), (given) =>
    given.toLowerCase(),
  );

/** A command by its name in the control API, `set_time` of `SetTime`. */
const commandNames = codecs.oneOf(COMMAND_TAGS.map(commandName));
const commandTag = codecs.described(
  new t.Type<CommandTag, string, unknown>(
    commandNames.name,
    (value): value is CommandTag => COMMAND_TAGS.some((tag) => tag === value),
    (value, context) => {
      const tag = COMMAND_TAGS.find((candidate) => commandName(candidate) === value);
      return tag === undefined ? t.failure(value, context) : t.success(tag);
    },
    commandName,
  ),
  commandNames.schema.input,
);

const commandTags = codecs.array(commandTag, 'an array of commands such as "set_time"');

export const BehaviourBody = codecs.closedObject({
  wrong_token: codecs.withDefault(codecs.oneOf(WRONG_TOKEN_MODES), USUAL_BEHAVIOUR.wrongToken),
  silent_commands: codecs.withDefault(commandTags, []),
  refused_commands: codecs.withDefault(commandTags, []),
  ack_delay_ms: codecs.withDefault(codecs.integer(0, MAX_MS), USUAL_BEHAVIOUR.ackDelayMs),
  alarm_packets: codecs.withDefault(codecs.integer(0, ALARM_PACKETS), USUAL_BEHAVIOUR.alarmPackets),
  ack_form: codecs.withDefault(codecs.oneOf(ACK_FORMS), USUAL_BEHAVIOUR.ackForm),
  firmware_form: codecs.withDefault(codecs.oneOf(FIRMWARE_FORMS), USUAL_BEHAVIOUR.firmwareForm),
  battery_service: codecs.withDefault(codecs.oneOf(BATTERY_SERVICES), USUAL_BEHAVIOUR.batteryService),
  mtu: codecs.withDefault(codecs.integer(MIN_MTU, MAX_MTU), USUAL_BEHAVIOUR.mtu),
});
export type BehaviourBody = t.TypeOf<typeof BehaviourBody>;

const SettingsBody = codecs.closedObject(
  {},
  {
    volume: codecs.integer(1, 5),
    language: codecs.oneOf(['zh', 'en']),
    time_format: codecs.oneOf(['24h', '12h']),
    temperature_unit: codecs.oneOf(['C', 'F']),
    alarms_enabled: codecs.boolean,
    /** Rounded to a value that a clock can store: steps of 6 minutes. */
    timezone_offset_minutes: codecs.integer(-720, 840),
    screen_light_secs: codecs.integer(0, 255),
    brightness: codecs.integer(0, 150, 10),
    night_brightness: codecs.integer(0, 150, 10),
    night_mode_enabled: codecs.boolean,
    night_start: timeOfDay,
    night_end: timeOfDay,
    ringtone: hexDigits(8),
  },
);
export type SettingsBody = t.TypeOf<typeof SettingsBody>;

const AlarmBody = codecs.closedObject({
  slot: codecs.integer(0, 15),
  time: timeOfDay,
  repeat_mask: codecs.withDefault(codecs.integer(0, Days.everyDay), 0),
  enabled: codecs.withDefault(codecs.boolean, true),
  snooze: codecs.withDefault(codecs.boolean, false),
});
export type AlarmBody = t.TypeOf<typeof AlarmBody>;

const instant = codecs.withRule(
  codecs.matching(
    'a time in UTC such as 2026-03-01T07:30:00Z',
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/,
  ),
  (text) => !Number.isNaN(Date.parse(text)),
  'time must be one that there is',
);

export const StartBody = codecs.closedObject({
  /** Empty: a clock without a name. */
  name: codecs.withDefault(ascii(MAX_NAME), CLOCK_NAME),
  temperature: codecs.withDefault(temperature, 21.5),
  humidity: codecs.withDefault(humidity, 45),
  battery: codecs.withDefault(level, 100),
  firmware: codecs.withDefault(ascii(MAX_FIRMWARE), FACTORY_FIRMWARE),
  time: codecs.withDefault(instant, new Date(FACTORY_TIME).toISOString()),
  token: codecs.withDefault(codecs.nullable(hexDigits(32)), null),
  alarms: codecs.withDefault(codecs.array(AlarmBody, 'an array of alarms'), []),
  settings: codecs.withDefault(SettingsBody, {}),
  /** All 18 bytes of the settings record, to which `settings` are changes. */
  settings_hex: codecs.withDefault(hexDigits(36), FACTORY_RECORD.toString('hex')),
  advertised_header: codecs.withDefault(codecs.oneOf(['08', '88']), '08'),
  advertised_battery_flag: codecs.withDefault(codecs.boolean, false),
  /** False: old firmware. */
  advertised_battery: codecs.withDefault(codecs.boolean, true),
});
export type StartBody = t.TypeOf<typeof StartBody>;

/** The notifying characteristics of a clock, by the short UUIDs that people write. */
const notifying = [AUTH_NOTIFY, DATA_NOTIFY, READING_NOTIFY, BATTERY_LEVEL].map(paddedUuid);

/** A 16-bit UUID, or the same in the long form: on top of Bluetooth's base UUID. */
const notifyCharacteristic = codecs.matching(
  `one of ${notifying.join(', ')}, or its long form`,
  new RegExp(
    `^(?:0000(?=.{28}))?(?:${notifying.map(codecs.anyCase).join('|')})(?:-?0000-?1000-?8000-?${codecs.anyCase('00805f9b34fb')})?$`,
  ),
  (given) => (given.length > 4 ? given.slice(4, 8) : given).toLowerCase(),
);

export const actionCodecs = {
  sensors: codecs.closedObject({}, { temperature, humidity }),
  battery: codecs.closedObject({ level }),
  button: codecs.closedObject({ secs: codecs.number(0, 60) }),
  advance: codecs.closedObject({ secs: codecs.number(0, MAX_SECS) }),
  notify: codecs.closedObject({
    characteristic: notifyCharacteristic,
    hex: codecs.matching('an even number of hex digits, at most 40', /^(?:[0-9a-fA-F]{2}){0,20}$/),
  }),
};
export type ActionCodecs = typeof actionCodecs;
