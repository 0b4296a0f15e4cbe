/** A clock in Home Assistant. */
import type { JsonSchema } from '../codecs/index.js';
import { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from '../mqtt/index.js';
import {
  DAYS,
  settable,
  settingsFields,
  type Alarm,
  type Day,
  type Settings,
  type State,
} from './contract.js';
import { timeZones } from './time-zone.js';
import { ALARM_SLOTS } from '../protocols/cgd1/index.js';

type Setting = keyof Settings;

interface Shown {
  readonly name: string;
  readonly icon: string;
  readonly unit_of_measurement?: string;
}

/** The settings whose control follows from their schema: all but the time zone and the tone. */
const SETTINGS: Partial<Record<Setting, Shown>> = {
  volume: { name: 'Volume', icon: 'mdi:volume-high' },
  brightness: { name: 'Brightness', icon: 'mdi:brightness-6', unit_of_measurement: '%' },
  night_brightness: { name: 'Night brightness', icon: 'mdi:brightness-4', unit_of_measurement: '%' },
  screen_light_secs: { name: 'Screen light', icon: 'mdi:timer-outline', unit_of_measurement: 's' },
  language: { name: 'Language', icon: 'mdi:translate' },
  time_format: { name: 'Time format', icon: 'mdi:clock-digital' },
  temperature_unit: { name: 'Temperature unit', icon: 'mdi:thermometer' },
  alarms_enabled: { name: 'Alarms', icon: 'mdi:alarm' },
  night_mode_enabled: { name: 'Night mode', icon: 'mdi:weather-night' },
  night_start: { name: 'Night start', icon: 'mdi:weather-sunset-down' },
  night_end: { name: 'Night end', icon: 'mdi:weather-sunset-up' },
};

const SLOTS = Array.from({ length: ALARM_SLOTS }, (_, slot) => slot);

/** The ids of all times that a clock may have. */
export const TIMES: readonly string[] = [
  ...(['night_start', 'night_end'] satisfies Setting[]),
  ...SLOTS.map((slot) => `alarm_${slot}_time`),
];

/** Switches of every day: among the controls of the device, not in its configuration. */
const CONTROLS: readonly string[] = ['alarms_enabled', 'night_mode_enabled'];

/** The template of a time `HH:MM` from `07:30:00`, which Home Assistant passes as a text or an object. */
const TIME_TEMPLATE = '{{ (value | string)[:5] }}';

/** The schema of the values that a client may set. */
const schemaOf = (setting: string): JsonSchema =>
  Object.entries({ ...settingsFields, ...settable }).find(([name]) => name === setting)?.[1].schema.input ??
  {};

/** A command that writes a setting. */
const changeOf = (setting: string, value: string): string => `{"settings": {"${setting}": ${value} } }`;

/** The command that writes the text that Home Assistant passes. */
const TEXT_TEMPLATE = '{{ value | tojson }}';

/** The control of a setting, whose platform follows from its schema. */
const controlOf = (setting: string): Entity => {
  const {
    type = 'time',
    enum: options = [],
    minimum = null,
    maximum = null,
    multipleOf: step = 1,
  } = schemaOf(setting);
  if (type === 'boolean') {
    return {
      ...{
        platform: 'switch',
        payload_on: changeOf(setting, 'true'),
        payload_off: changeOf(setting, 'false'),
      },
      ...{ state_on: TRUTH.on, state_off: TRUTH.off },
    };
  }
  if (type === 'time') {
    return { platform: 'time', command_template: changeOf(setting, `"${TIME_TEMPLATE}"`) };
  }
  const command_template = changeOf(setting, TEXT_TEMPLATE);
  return type === 'string'
    ? { platform: 'select', options, command_template }
    : { platform: 'number', min: minimum, max: maximum, step, command_template };
};

const settingOf = (setting: string, shown: Shown, { command }: DeviceTopics): Entity => ({
  value_template: valueAt('settings', setting),
  ...controlOf(setting),
  ...shown,
  ...(!CONTROLS.includes(setting) && { entity_category: 'config' }),
  command_topic: command('write_settings'),
});

/** The time zone, which may have a name that is not among the usual ones. */
const zoneOf = (zone: string | null, { command }: DeviceTopics): Entity => ({
  ...{ platform: 'select', name: 'Time zone', icon: 'mdi:map-clock', entity_category: 'config' },
  options: [...new Set([...timeZones(), ...(zone === null ? [] : [zone])])],
  value_template: valueAt('settings', 'timezone'),
  command_topic: command('write_settings'),
  command_template: changeOf('timezone', TEXT_TEMPLATE),
});

/** The template of a part of an alarm by an expression of `alarm`; none without the alarm. */
const partOf = (slot: number, expression: string): string =>
  `{% set alarm = value_json.alarms | selectattr('slot', 'eq', ${slot}) | first | default(none) ` +
  `if value and value_json.alarms else none %}{{ ${expression} if alarm else none }}`;

/**
 * The entities of an alarm, which people count from 1. Each command changes only its part: Home Assistant sends several at once.
 */
const alarmOf = (slot: number, { command }: DeviceTopics): Appliance['entities'] => {
  const command_topic = command('change_alarm');
  const alarm = `Alarm ${slot + 1}`;
  const payloadOf = (change: object): string => JSON.stringify({ slot, ...change });
  const switchOf = (
    name: string,
    icon: string,
    change: (on: boolean) => object,
    expression: string,
  ): Entity => ({
    ...{ platform: 'switch', name: `${alarm}${name}`, icon, command_topic },
    ...{ payload_on: payloadOf(change(true)), payload_off: payloadOf(change(false)) },
    ...{ state_on: TRUTH.on, state_off: TRUTH.off },
    value_template: partOf(slot, expression),
  });
  const dayOf = (day: Day, index: number): readonly [string, Entity] => {
    const name = ` ${day.slice(0, 1).toUpperCase()}${day.slice(1)}`;
    const change = (on: boolean): object => ({ days: { [day]: on } });
    const expression = `alarm.repeat_mask // ${1 << index} % 2 == 1`;
    return [day, { ...switchOf(name, 'mdi:calendar-week', change, expression), entity_category: 'config' }];
  };
  return {
    '': switchOf('', 'mdi:alarm', (enabled) => ({ enabled }), 'alarm.enabled'),
    time: {
      ...{ platform: 'time', name: `${alarm} time`, icon: 'mdi:clock-outline', command_topic },
      command_template: payloadOf({ time: TIME_TEMPLATE }),
      value_template: partOf(slot, 'alarm.time'),
    },
    ...Object.fromEntries(DAYS.map(dayOf)),
    snooze: {
      ...switchOf(' snooze', 'mdi:alarm-snooze', (snooze) => ({ snooze }), 'alarm.snooze'),
      entity_category: 'config',
    },
  };
};

const alarmsOf = (alarms: readonly Alarm[], topics: DeviceTopics): Appliance['entities'] =>
  Object.fromEntries(
    alarms.flatMap(({ slot }) =>
      Object.entries(alarmOf(slot, topics)).map(
        ([part, entity]) => [part === '' ? `alarm_${slot}` : `alarm_${slot}_${part}`, entity] as const,
      ),
    ),
  );

const measured = (name: string, device_class: string, unit_of_measurement: string, of: string): Entity => ({
  ...{ platform: 'sensor', name, device_class, unit_of_measurement, state_class: 'measurement' },
  value_template: valueAt(of),
});

const buttonOf = (name: string, icon: string, command_topic: string): Entity => ({
  ...{ platform: 'button', name, icon, command_topic, payload_press: '{}' },
});

export const clockInHomeAssistant =
  ({ address, label, name, firmware, alarms, settings }: State) =>
  (topics: DeviceTopics): Appliance => ({
    // All clocks advertise the same name.
    name: label ?? `${name === '' ? 'Clock' : name} ${address.slice(-5)}`,
    manufacturer: 'Qingping',
    model: 'CGD1',
    firmware,
    isUnknown: (id) => alarms === null && id.startsWith('alarm_'),
    entities: {
      temperature: measured('Temperature', 'temperature', '°C', 'temperature'),
      humidity: measured('Humidity', 'humidity', '%', 'humidity'),
      battery: { ...measured('Battery', 'battery', '%', 'battery'), entity_category: 'diagnostic' },
      signal: {
        ...measured('Signal', 'signal_strength', 'dBm', 'rssi'),
        ...{ entity_category: 'diagnostic', enabled_by_default: false },
      },
      next_alarm: {
        ...{ platform: 'sensor', name: 'Next alarm', device_class: 'timestamp' },
        value_template: valueAt('next_alarm'),
      },
      ...(alarms === null ? {} : alarmsOf(alarms, topics)),
      ...Object.fromEntries(
        Object.entries(SETTINGS).map(
          ([setting, shown]) => [setting, settingOf(setting, shown, topics)] as const,
        ),
      ),
      timezone: zoneOf(settings?.timezone ?? null, topics),
      sync: buttonOf('Synchronise time', 'mdi:clock-check', topics.command('sync_time')),
      preview: buttonOf('Preview ringtone', 'mdi:bell-ring', topics.command('preview_ringtone')),
    },
  });
