/**
 * The messages that Home Assistant takes as the discovery of a device, as a JSON Schema made for these tests. From its sources, home-assistant/core:
 * `homeassistant/components/mqtt/` has `discovery.py` (topics, a component with a platform alone), `schemas.py` (device,
 * origin, availability), `abbreviations.py`, and a file for each platform with its options; device classes with their units are
 * in `components/sensor/const.py`. From https://www.home-assistant.io/integrations/mqtt/: each component has a unique id.
 */

import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js';
import { rows } from '../support/rows.js';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The abbreviations in use here. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  dev: 'device',
  o: 'origin',
  cmps: 'components',
  p: 'platform',
};

const TEXT = { type: 'string', minLength: 1 };
/** The topic of a message: without wildcards. */
const TOPIC = { type: 'string', pattern: '^[^+#\\0]+$' };
const DIFFERENT_TEXTS = { type: 'array', minItems: 1, uniqueItems: true, items: TEXT };

const AVAILABILITY = {
  availability: {
    type: 'array',
    items: { type: 'object', required: ['topic'], properties: { topic: TOPIC } },
  },
  availability_mode: { enum: ['all', 'any', 'latest'] },
};

/** Options of the device that an entity of any platform takes over, unless it has its own. */
const SHARED = ['state_topic', 'command_topic', 'qos', 'encoding', ...Object.keys(AVAILABILITY)];

const texts = (...names: readonly string[]): SchemaObject =>
  Object.fromEntries(names.map((name) => [name, TEXT]));

const DEVICE = {
  type: 'object',
  properties: {
    identifiers: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
    connections: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, items: TEXT },
    },
    ...texts('name', 'manufacturer', 'model', 'model_id', 'hw_version', 'sw_version', 'serial_number'),
    ...texts('suggested_area', 'via_device', 'configuration_url'),
  },
  additionalProperties: false,
  anyOf: [
    { required: ['identifiers'], properties: { identifiers: { minItems: 1 } } },
    { required: ['connections'], properties: { connections: { minItems: 1 } } },
  ],
};

const ORIGIN = {
  type: 'object',
  required: ['name'],
  properties: { name: TEXT, sw_version: true, support_url: true },
  additionalProperties: false,
};

/** The fields that every entity may have. */
const COMMON = [
  ...['unique_id', 'name', 'icon', 'entity_category', 'enabled_by_default', 'qos', 'encoding'],
  ...['json_attributes_topic', 'json_attributes_template', ...Object.keys(AVAILABILITY)],
];

/**
 * Each platform with its required and its optional options, and its device classes with the units that each may have; see also
 * https://www.home-assistant.io/integrations/device_trigger.mqtt/ and, since Home Assistant 2026.5, `time.mqtt/` beside it.
 */
const PLATFORM_TABLE = `
  sensor            | state_topic                           | value_template device_class unit_of_measurement state_class options | battery=% humidity=% signal_strength=dB,dBm temperature=°C,°F,K timestamp=
  binary_sensor     | state_topic                           | value_template device_class payload_on payload_off | battery_charging= connectivity=
  event             | state_topic event_types               | value_template device_class | button= doorbell= motion=
  device_automation | automation_type topic type subtype    | payload value_template | -
  light             | command_topic                         | schema state_topic state_value_template payload_on payload_off on_command_type rgb_command_topic rgb_command_template rgb_state_topic rgb_value_template | -
  button            | command_topic                         | payload_press command_template device_class | identify= restart= update=
  switch            | command_topic                         | state_topic value_template payload_on payload_off state_on state_off | -
  number            | command_topic                         | state_topic value_template command_template device_class unit_of_measurement min max step mode | -
  time              | command_topic                         | state_topic value_template command_template retain | -
  select            | command_topic options                 | state_topic value_template command_template | -
`;

const wordsOf = (cell: string): readonly string[] => (cell === '-' ? [] : cell.split(' '));

interface Platform {
  readonly required: readonly string[];
  readonly options: readonly string[];
  readonly classes: readonly (readonly [name: string, units: readonly string[]])[];
}

const PLATFORMS: ReadonlyMap<string, Platform> = new Map(
  rows(4, PLATFORM_TABLE).map(([name, required, optional, classes]) => [
    name,
    {
      required: wordsOf(required),
      options: [...COMMON, ...wordsOf(required), ...wordsOf(optional)],
      classes: wordsOf(classes).map((cell) => {
        const [kind = '', units = ''] = cell.split('=');
        return [kind, units === '' ? [] : units.split(',')];
      }),
    },
  ]),
);

/** The schemas of options that are not just texts. */
const OPTIONS: Readonly<Record<string, SchemaObject>> = {
  ...AVAILABILITY,
  icon: { type: 'string', pattern: '^mdi:[a-z0-9-]+$' },
  state_class: { enum: ['measurement', 'total', 'total_increasing'] },
  on_command_type: { enum: ['first', 'last', 'brightness'] },
  event_types: DIFFERENT_TEXTS,
  automation_type: { const: 'trigger' },
  topic: TOPIC,
  enabled_by_default: { type: 'boolean' },
  options: DIFFERENT_TEXTS,
  min: { type: 'number' },
  max: { type: 'number', exclusiveMinimum: { $data: '1/min' } },
  step: { type: 'number', minimum: 0.001 },
};

const unitsOf = (units: readonly string[]): SchemaObject =>
  units.length === 0
    ? { properties: { unit_of_measurement: false } }
    : { required: ['unit_of_measurement'], properties: { unit_of_measurement: { enum: units } } };

const entityOf = ([name, { required, options, classes }]: readonly [string, Platform]): SchemaObject => ({
  type: 'object',
  properties: {
    ...Object.fromEntries(
      options.map((option) => [option, OPTIONS[option] ?? (option.endsWith('_topic') ? TOPIC : TEXT)]),
    ),
    platform: { const: name },
    // People cannot set an entity without commands, so it is not a configuration.
    entity_category: { enum: required.includes('command_topic') ? ['config', 'diagnostic'] : ['diagnostic'] },
    device_class: classes.length > 0 && { enum: classes.map(([kind]) => kind) },
  },
  additionalProperties: false,
  allOf: [
    { required: ['platform', 'unique_id', ...required] },
    ...classes.map(([kind, units]) => ({
      if: { required: ['device_class'], properties: { device_class: { const: kind } } },
      then: unitsOf(units),
    })),
  ],
});

/** The full message on a topic that begins with `first`, and the ids of all entities. */
const schemaOf = (first: string, platforms: readonly (readonly [string, Platform])[]): SchemaObject => ({
  type: 'object',
  required: ['device', 'origin', 'components'],
  properties: {
    topic: { type: 'string', pattern: `^homeassistant/${first}/[\\w-]+/config$` },
    unique_ids: { type: 'array', uniqueItems: true },
    ...Object.fromEntries(SHARED.map((option) => [option, true])),
    ...AVAILABILITY,
    device: DEVICE,
    origin: ORIGIN,
    components: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        // An entity with nothing but its platform is removed.
        if: { maxProperties: 1 },
        then: { required: ['platform'], properties: { platform: { enum: platforms.map(([name]) => name) } } },
        else: {
          required: ['platform'],
          discriminator: { propertyName: 'platform' },
          oneOf: platforms.map(entityOf),
        },
      },
    },
  },
  additionalProperties: false,
});

const ajv = new Ajv2020({ strict: false, allErrors: true, $data: true, discriminator: true });

/** Times are newer than the discovery of devices: of a device with a time, an older Home Assistant takes nothing. */
const isTime = ([name]: readonly [string, Platform]): boolean => name === 'time';
const validators = {
  device: ajv.compile(
    schemaOf(
      'device',
      [...PLATFORMS].filter((platform) => !isTime(platform)),
    ),
  ),
  time: ajv.compile(schemaOf('time', [...PLATFORMS].filter(isTime))),
};

/** Expands the abbreviations, as Home Assistant does first. */
const expanded = (message: unknown): unknown =>
  isFields(message)
    ? Object.fromEntries(Object.entries(message).map(([name, value]) => [ABBREVIATIONS[name] ?? name, value]))
    : message;

const isOfTime = (topic: string): boolean => topic.startsWith('homeassistant/time/');

/** The last part of the id of a time: its id in a device. */
const partIn = (topic: string): string => /airbench_[0-9a-f]{12}_(\w+)\/config$/.exec(topic)?.[1] ?? topic;

/** A message as the description of a device with the entity, if it describes an entity alone. */
const rootOf = (topic: string, payload: string): Fields => {
  const root = expanded(JSON.parse(payload)) as Fields;
  if (!isOfTime(topic)) return root;
  const { device, origin, ...options } = root;
  return { device, origin, components: { [partIn(topic)]: { platform: 'time', ...options } } };
};

/** The entities of a message on `topic` by their ids in the device, as Home Assistant sees them, without removed ones. */
export const entitiesOf = (topic: string, payload: string): Readonly<Record<string, Fields>> => {
  const root = rootOf(topic, payload);
  const shared = Object.entries(root).filter(([name]) => SHARED.includes(name));
  const components = isFields(root['components']) ? root['components'] : {};
  return Object.fromEntries(
    Object.entries(components).flatMap(([id, component]) => {
      const entity = expanded(component);
      if (!isFields(entity) || Object.keys(entity).length < 2) return [];
      const { options = [] } = PLATFORMS.get(String(entity['platform'])) ?? {};
      const taken = Object.fromEntries(shared.filter(([name]) => options.includes(name)));
      const usual = entity['platform'] === 'number' ? { min: 1, max: 100 } : {};
      return [[id, { ...usual, ...taken, ...entity }]];
    }),
  );
};

/** The reasons why Home Assistant would refuse a message on `topic`. */
export const problemsOf = (topic: string, payload: string): readonly string[] => {
  const root = rootOf(topic, payload);
  const { components } = root;
  const entities = entitiesOf(topic, payload);
  const validate = validators[isOfTime(topic) ? 'time' : 'device'];
  const expandedComponents = isFields(components)
    ? Object.fromEntries(Object.entries(components).map(([id, component]) => [id, expanded(component)]))
    : {};
  const unique_ids = Object.values(entities).flatMap(({ unique_id }) => unique_id ?? []);
  if (validate({ ...root, topic, unique_ids, components: { ...expandedComponents, ...entities } })) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};

const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Whether an entity takes a state as its template renders it; `None` is "unknown", except for colours. */
export const takesState = (entity: Fields, template: string, rendered: string): boolean => {
  if (template === 'rgb_value_template') return /^(?:(?:\d{1,3},){2}\d{1,3})?$/.test(rendered);
  if (rendered === 'None') return true;
  const { device_class: kind, unit_of_measurement: unit, min, max, options } = entity;
  switch (entity['platform']) {
    case 'sensor':
      if (kind === 'timestamp')
        return /T.*(?:Z|[+-]\d\d:\d\d)$/.test(rendered) && !Number.isNaN(Date.parse(rendered));
      return unit === undefined ? rendered !== '' : isNumeric(rendered);
    case 'binary_sensor':
    case 'light':
      return [entity['payload_on'] ?? 'ON', entity['payload_off'] ?? 'OFF'].includes(rendered);
    case 'switch':
      return [
        entity['state_on'] ?? entity['payload_on'],
        entity['state_off'] ?? entity['payload_off'],
      ].includes(rendered);
    case 'number':
      return isNumeric(rendered) && Number(rendered) >= Number(min) && Number(rendered) <= Number(max);
    case 'time':
      return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(rendered);
    case 'select':
      return Array.isArray(options) && options.includes(rendered);
    default:
      return false;
  }
};
