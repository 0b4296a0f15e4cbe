/** A clock as Home Assistant shows it. */
import type { JsonSchema } from '../codecs/index.js';
import { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from '../mqtt/index.js';
import { Alarm, settable, settingsFields, type Settings, type State } from './contract.js';
import { ALARM_SLOTS } from './cgd1/protocol/index.js';

type Setting = keyof Settings;

interface Shown {
  readonly name: string;
  readonly icon: string;
  readonly unit_of_measurement?: string;
}

/** Times, time zone and tone are not among what Home Assistant has controls for. */
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
};

/** The schema of a setting, as a client may change it. */
const schemaOf = (setting: string): JsonSchema =>
  Object.entries({ ...settingsFields, ...settable }).find(([name]) => name === setting)?.[1].schema.input ??
  {};

/** The platform follows from what the setting may be. */
const controlOf = (setting: string): Entity => {
  const {
    type,
    enum: options = [],
    minimum = null,
    maximum = null,
    multipleOf: step = 1,
  } = schemaOf(setting);
  const change = (value: string): string => `{"settings": {"${setting}": ${value} } }`;
  if (type === 'boolean') {
    return {
      ...{ platform: 'switch', payload_on: change('true'), payload_off: change('false') },
      ...{ state_on: TRUTH.on, state_off: TRUTH.off },
    };
  }
  const command_template = change('{{ value | tojson }}');
  return type === 'string'
    ? { platform: 'select', options, command_template }
    : { platform: 'number', min: minimum, max: maximum, step, command_template };
};

const settingOf = (setting: string, shown: Shown, { command }: DeviceTopics): Entity => ({
  ...controlOf(setting),
  ...shown,
  entity_category: 'config',
  command_topic: command('write_settings'),
  value_template: valueAt('settings', setting),
});

/** Its switch has the whole alarm, since all of it is set at once. */
const alarmOf = (alarm: Alarm, { command }: DeviceTopics): Entity => {
  const { slot, time } = Alarm.encode(alarm);
  const change = (enabled: boolean): string => JSON.stringify(Alarm.encode({ ...alarm, enabled }));
  return {
    ...{ platform: 'switch', name: `Alarm ${slot} (${time})`, icon: 'mdi:alarm' },
    command_topic: command('set_alarm'),
    ...{ payload_on: change(true), payload_off: change(false) },
    ...{ state_on: TRUTH.on, state_off: TRUTH.off },
    value_template:
      `{{ value_json.alarms | selectattr('slot', 'eq', ${slot}) | map(attribute='enabled') | first | default(none) ` +
      `if value and value_json.alarms else none }}`,
  };
};

const alarmsOf = (alarms: readonly Alarm[], topics: DeviceTopics): Appliance['entities'] =>
  Object.fromEntries(
    Array.from({ length: ALARM_SLOTS }, (_, slot) => {
      const alarm = alarms.find((candidate) => candidate.slot === slot);
      return [
        `alarm_${slot}`,
        alarm === undefined ? { platform: 'switch' } : alarmOf(alarm, topics),
      ] as const;
    }),
  );

const measured = (name: string, device_class: string, unit_of_measurement: string, of: string): Entity => ({
  ...{ platform: 'sensor', name, device_class, unit_of_measurement, state_class: 'measurement' },
  value_template: valueAt(of),
});

const buttonOf = (name: string, icon: string, command_topic: string): Entity => ({
  ...{ platform: 'button', name, icon, command_topic, payload_press: '{}' },
});

export const clockInHomeAssistant =
  ({ address, name, firmware, alarms }: State) =>
  (topics: DeviceTopics): Appliance => ({
    name: name === '' ? `Clock ${address}` : name,
    manufacturer: 'Qingping',
    model: 'CGD1',
    firmware,
    entities: {
      temperature: measured('Temperature', 'temperature', '°C', 'temperature'),
      humidity: measured('Humidity', 'humidity', '%', 'humidity'),
      battery: { ...measured('Battery', 'battery', '%', 'battery'), entity_category: 'diagnostic' },
      signal: { ...measured('Signal', 'signal_strength', 'dBm', 'rssi'), entity_category: 'diagnostic' },
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
      sync: buttonOf('Synchronise time', 'mdi:clock-check', topics.command('sync_time')),
      preview: buttonOf('Preview ringtone', 'mdi:bell-ring', topics.command('preview_ringtone')),
    },
  });
