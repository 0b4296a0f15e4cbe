/** A die in Home Assistant. */
import { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from '../mqtt/index.js';
import type { Session } from './session.js';
import { DICE_TYPES, facesOf, type TAPS, type AnyDiceType, type RestTag } from '../protocols/dice-values.js';

/** The names of a die's events in Home Assistant. */
const ROLLS = {
  RollStart: 'roll_started',
  Stable: 'rolled',
  TiltStable: 'rolled_tilted',
  FakeStable: 'fake_roll',
  MoveStable: 'moved',
} satisfies Record<RestTag | 'RollStart', string>;

const TAPPED = { Tap: 'tap', DoubleTap: 'double_tap' } satisfies Record<(typeof TAPS)[number], string>;

/** The entity of events with a type and, if there is one, the face that is up. */
const eventOf = (
  events: string,
  types: Readonly<Record<string, string>>,
  name: string,
  icon: string,
): Entity => {
  const list = Object.entries(types).map(([kind, type]) => `'${kind}': '${type}'`);
  return {
    ...{ platform: 'event', name, icon },
    state_topic: events,
    event_types: Object.values(types),
    value_template:
      `{% set types = {${list.join(', ')}} %}{{ {'event_type': types[value_json.kind], ` +
      `'face': value_json.get('face')} | tojson if value_json.kind in types }}`,
  };
};

const ICONS: Readonly<Record<AnyDiceType, string>> = {
  d4: 'mdi:dice-d4',
  d6: 'mdi:dice-d6',
  d8: 'mdi:dice-d8',
  d10: 'mdi:dice-d10',
  d10x: 'mdi:dice-d10',
  d12: 'mdi:dice-d12',
  d20: 'mdi:dice-d20',
  fudge: 'mdi:dice-multiple',
};

/** The trigger of automations when the die has rolled a face. */
const triggerOf = (events: string, face: number): Entity => ({
  ...{ platform: 'device_automation', automation_type: 'trigger', type: 'rolled', subtype: `${face}` },
  ...{ topic: events, payload: `${face}` },
  value_template: "{{ value_json.face if value_json.kind in ['Stable', 'TiltStable'] }}",
});

const triggersOf = (events: string, type: AnyDiceType): Appliance['entities'] =>
  Object.fromEntries(facesOf(type).map((face) => [`rolled_${face}`, triggerOf(events, face)]));

const DARK = '000000';

/** The entity of an LED, which is off if it is dark; Home Assistant makes a colour of the last colour and the brightness. */
const ledOf = (led: string, name: string, { state, command }: DeviceTopics): Entity => {
  const colour = `value_json.leds.${led}`;
  const hasLeds = 'value and value_json.leds';
  const off = JSON.stringify({ [led]: DARK });
  const channels = [0, 2, 4].map((at) => `{{ ${colour}[${at}:${at + 2}] | int(base=16) }}`);
  return {
    ...{ platform: 'light', name, icon: 'mdi:led-on' },
    command_topic: command('led'),
    payload_off: off,
    on_command_type: 'brightness',
    state_value_template: `{{ none if not (${hasLeds}) else '${off}' if ${colour} == '${DARK}' else 'ON' }}`,
    rgb_state_topic: state,
    rgb_command_topic: command('led'),
    rgb_command_template: `{"${led}":"{{ '%02X%02X%02X' | format(red, green, blue) }}"}`,
    rgb_value_template: `{% if ${hasLeds} %}${channels.join(',')}{% endif %}`,
  };
};

/** A pulse that identifies a die: three white blinks. */
const IDENTIFY = { count: 3, on_ms: 300, off_ms: 300, color: 'FFFFFF' };

const identifyOf = ({ command }: DeviceTopics): Entity => ({
  ...{ platform: 'button', name: 'Identify', device_class: 'identify', entity_category: 'config' },
  ...{ command_topic: command('pulse'), payload_press: JSON.stringify(IDENTIFY) },
});

/** The switch for single and double taps, which a die does not report until a client switches them on. */
const tapsOf = ({ command }: DeviceTopics): Entity => {
  const change = (on: boolean): string => JSON.stringify({ single: on, double: on });
  return {
    ...{ platform: 'switch', name: 'Report taps', icon: 'mdi:gesture-tap', entity_category: 'config' },
    ...{ command_topic: command('taps'), payload_on: change(true), payload_off: change(false) },
    ...{ state_on: TRUTH.on, state_off: TRUTH.off },
    value_template:
      '{% set taps = value_json.taps if value else none %}' +
      '{{ none if not value else false if not taps else taps.single or taps.double }}',
  };
};

/** The entities of a die that does not report its type. */
const shellOf = ({ command }: DeviceTopics): Appliance['entities'] => ({
  shell: {
    ...{ platform: 'select', name: 'Shell', icon: 'mdi:dice-multiple', entity_category: 'config' },
    ...{ options: DICE_TYPES, command_topic: command('connect') },
    command_template: '{"dice_type": {{ value | tojson }} }',
    value_template: valueAt('dice_type'),
  },
  calibrate: {
    ...{ platform: 'button', name: 'Calibrate', icon: 'mdi:target', entity_category: 'config' },
    ...{ command_topic: command('calibrate'), payload_press: '{}' },
  },
});

export const dieInHomeAssistant =
  ({ detailed: { address, label, name, dice_type }, driver, die }: Session) =>
  (topics: DeviceTopics): Appliance => ({
    name: label ?? name ?? `Die ${address}`,
    manufacturer: driver.manufacturer,
    model: driver.model,
    entities: {
      roll: eventOf(topics.events, ROLLS, 'Roll', 'mdi:dice-multiple'),
      ...(die.setTaps !== null && { tap: eventOf(topics.events, TAPPED, 'Tap', 'mdi:gesture-tap') }),
      face: { platform: 'sensor', name: 'Face', icon: ICONS[dice_type], value_template: valueAt('face') },
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
        ...{ platform: 'sensor', name: 'Signal', entity_category: 'diagnostic', enabled_by_default: false },
        ...{ device_class: 'signal_strength', unit_of_measurement: 'dBm', state_class: 'measurement' },
        value_template: valueAt('rssi'),
      },
      ...Object.fromEntries(
        die.leds.map((led, index) => {
          const label = die.leds.length === 1 ? 'LEDs' : `LED ${index + 1}`;
          return [led, ledOf(led, label, topics)] as const;
        }),
      ),
      ...(die.pulse !== null && { identify: identifyOf(topics) }),
      ...(die.setTaps !== null && { taps: tapsOf(topics) }),
      ...(typeof die.type !== 'string' && shellOf(topics)),
      ...triggersOf(topics.events, dice_type),
    },
  });
