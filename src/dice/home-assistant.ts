/** A die as Home Assistant shows it. */
import { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from '../mqtt/index.js';
import type { Session } from './session.js';
import { RESTS, TAPS } from './port/values.js';

/** The kind of an event, with the face that is up, if there is one. */
const eventOf = (events: string, types: readonly string[], name: string, icon: string): Entity => ({
  ...{ platform: 'event', name, icon },
  state_topic: events,
  event_types: types,
  value_template:
    `{{ {'event_type': value_json.kind, 'face': value_json.get('face')} | tojson ` +
    `if value_json.kind in [${types.map((type) => `'${type}'`).join(', ')}] }}`,
});

const DARK = '000000';

/** Dark is off; Home Assistant makes a colour of its own of the last colour and the brightness. */
const ledOf = (led: string, name: string, { state, command }: DeviceTopics): Entity => {
  const colour = `value_json.leds.${led}`;
  const known = 'value and value_json.leds';
  const off = JSON.stringify({ [led]: DARK });
  const channels = [0, 2, 4].map((at) => `{{ ${colour}[${at}:${at + 2}] | int(base=16) }}`);
  return {
    ...{ platform: 'light', name, icon: 'mdi:led-on' },
    command_topic: command('led'),
    payload_off: off,
    on_command_type: 'brightness',
    state_value_template: `{{ none if not (${known}) else '${off}' if ${colour} == '${DARK}' else 'ON' }}`,
    rgb_state_topic: state,
    rgb_command_topic: command('led'),
    rgb_command_template: `{"${led}":"{{ '%02X%02X%02X' | format(red, green, blue) }}"}`,
    rgb_value_template: `{% if ${known} %}${channels.join(',')}{% endif %}`,
  };
};

export const dieInHomeAssistant =
  ({ status: { address, name }, driver, die }: Session) =>
  (topics: DeviceTopics): Appliance => ({
    name: name ?? `Die ${address}`,
    manufacturer: driver.manufacturer,
    model: driver.model,
    entities: {
      roll: eventOf(topics.events, ['RollStart', ...RESTS], 'Roll', 'mdi:dice-multiple'),
      ...(die.setTaps !== null && { tap: eventOf(topics.events, TAPS, 'Tap', 'mdi:gesture-tap') }),
      face: { platform: 'sensor', name: 'Face', icon: 'mdi:dice-d6', value_template: valueAt('face') },
      battery: {
        ...{ platform: 'sensor', name: 'Battery', entity_category: 'diagnostic' },
        ...{ device_class: 'battery', unit_of_measurement: '%', state_class: 'measurement' },
        value_template: valueAt('battery_level'),
      },
      charging: {
        ...{ platform: 'binary_sensor', name: 'Charging', entity_category: 'diagnostic' },
        device_class: 'battery_charging',
        ...{ payload_on: TRUTH.on, payload_off: TRUTH.off },
        value_template: valueAt('charging'),
      },
      signal: {
        ...{ platform: 'sensor', name: 'Signal', entity_category: 'diagnostic' },
        ...{ device_class: 'signal_strength', unit_of_measurement: 'dBm', state_class: 'measurement' },
        value_template: valueAt('rssi'),
      },
      ...Object.fromEntries(
        die.leds.map((led, index) => [led, ledOf(led, `LED ${index + 1}`, topics)] as const),
      ),
      ...(typeof die.type !== 'string' && {
        calibrate: {
          ...{ platform: 'button', name: 'Calibrate', icon: 'mdi:target', entity_category: 'config' },
          ...{ command_topic: topics.command('calibrate'), payload_press: '{}' },
        },
      }),
    },
  });
