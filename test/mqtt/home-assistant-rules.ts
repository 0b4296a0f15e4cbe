/**
 * What Home Assistant takes as the discovery of a device, in words of our own. From its sources, home-assistant/core:
 * `homeassistant/components/mqtt/` has `discovery.py` (topics, a component with a platform alone), `schemas.py` (device,
 * origin, availability), `abbreviations.py`, and a file for each platform with its options; device classes with their units are
 * in `components/sensor/const.py`. From https://www.home-assistant.io/integrations/mqtt/: each component has a unique id.
 */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Of those that may stand for other names, the ones that are in use here. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  dev: 'device',
  o: 'origin',
  cmps: 'components',
  p: 'platform',
};

const AVAILABILITY = ['availability', 'availability_mode'];

const ROOT = [
  'device',
  'origin',
  'components',
  'state_topic',
  'command_topic',
  'qos',
  'encoding',
  ...AVAILABILITY,
];

const DEVICE = [
  ...['identifiers', 'connections', 'name', 'manufacturer', 'model', 'model_id', 'hw_version', 'sw_version'],
  ...['serial_number', 'suggested_area', 'via_device', 'configuration_url'],
];

const ORIGIN = ['name', 'sw_version', 'support_url'];

/** What every entity may have. */
const COMMON = [
  ...['platform', 'unique_id', 'name', 'icon', 'entity_category', 'enabled_by_default', 'qos', 'encoding'],
  ...['json_attributes_topic', 'json_attributes_template', ...AVAILABILITY],
];

interface Platform {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** With the units that each may have; empty: none. */
  readonly classes?: Readonly<Record<string, readonly string[]>>;
  /** It may not be set by people, so that it is no configuration. */
  readonly readOnly?: boolean;
}

const PLATFORMS: Readonly<Record<string, Platform>> = {
  sensor: {
    required: ['state_topic'],
    optional: ['value_template', 'device_class', 'unit_of_measurement', 'state_class', 'options'],
    classes: {
      battery: ['%'],
      humidity: ['%'],
      signal_strength: ['dB', 'dBm'],
      temperature: ['°C', '°F', 'K'],
      timestamp: [],
    },
    readOnly: true,
  },
  binary_sensor: {
    required: ['state_topic'],
    optional: ['value_template', 'device_class', 'payload_on', 'payload_off'],
    classes: { battery_charging: [] },
    readOnly: true,
  },
  event: {
    required: ['state_topic', 'event_types'],
    optional: ['value_template', 'device_class'],
    classes: { button: [], doorbell: [], motion: [] },
    readOnly: true,
  },
  light: {
    required: ['command_topic'],
    optional: [
      ...['schema', 'state_topic', 'state_value_template', 'payload_on', 'payload_off', 'on_command_type'],
      ...['rgb_command_topic', 'rgb_command_template', 'rgb_state_topic', 'rgb_value_template'],
    ],
  },
  button: {
    required: ['command_topic'],
    optional: ['payload_press', 'command_template', 'device_class'],
    classes: { identify: [], restart: [], update: [] },
  },
  switch: {
    required: ['command_topic'],
    optional: ['state_topic', 'value_template', 'payload_on', 'payload_off', 'state_on', 'state_off'],
  },
  number: {
    required: ['command_topic'],
    optional: [
      ...['state_topic', 'value_template', 'command_template', 'device_class', 'unit_of_measurement'],
      ...['min', 'max', 'step', 'mode'],
    ],
  },
  select: {
    required: ['command_topic', 'options'],
    optional: ['state_topic', 'value_template', 'command_template'],
  },
};

/** Written in full, as Home Assistant does first of all. */
const expanded = (given: Fields): Fields =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [ABBREVIATIONS[name] ?? name, value]));

const unknownIn = (where: string, fields: Fields, known: readonly string[]): readonly string[] =>
  Object.keys(fields)
    .filter((name) => !known.includes(name))
    .map((name) => `${where} has the unknown option ${name}`);

/** Of a message: without wildcards. */
const isTopic = (value: unknown): boolean => isText(value) && !/[+#\0]/.test(value);

const deviceProblems = (device: unknown): readonly string[] => {
  if (!isFields(device)) return ['there is no device'];
  const { identifiers = [], connections = [], ...others } = device;
  const ids = Array.isArray(identifiers) ? identifiers : [identifiers];
  const pairs: readonly unknown[] = Array.isArray(connections) ? connections : [connections];
  return [
    ...unknownIn('the device', device, DEVICE),
    ...(ids.length + pairs.length === 0 ? ['the device has neither identifiers nor connections'] : []),
    ...(ids.every(isText) ? [] : ['an identifier is no text']),
    ...(pairs.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
      ? []
      : ['a connection is no pair of texts']),
    ...Object.entries(others).flatMap(([name, value]) =>
      isText(value) ? [] : [`the device's ${name} is no text`],
    ),
  ];
};

const originProblems = (origin: unknown): readonly string[] =>
  isFields(origin) && isText(origin['name'])
    ? unknownIn('the origin', origin, ORIGIN)
    : ['there is no origin with a name'];

const availabilityProblems = (where: string, { availability = [], availability_mode: mode }: Fields) => [
  ...(Array.isArray(availability) && availability.every((one) => isFields(one) && isTopic(one['topic']))
    ? []
    : [`the availability of ${where} has no topics`]),
  ...(mode === undefined || (isText(mode) && ['all', 'any', 'latest'].includes(mode))
    ? []
    : [`the availability mode of ${where} is ${JSON.stringify(mode)}`]),
];

const areDifferentTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length;

/** What an option must be, where it is one of few things. */
const OPTIONS: Readonly<Record<string, (value: unknown) => boolean>> = {
  icon: (value) => isText(value) && /^mdi:[a-z0-9-]+$/.test(value),
  entity_category: (value) => value === 'config' || value === 'diagnostic',
  state_class: (value) => ['measurement', 'total', 'total_increasing'].includes(String(value)),
  on_command_type: (value) => ['first', 'last', 'brightness'].includes(String(value)),
  event_types: areDifferentTexts,
  options: areDifferentTexts,
  min: Number.isFinite,
  max: Number.isFinite,
  step: (value) => typeof value === 'number' && value >= 0.001,
};

const optionProblems = (where: string, entity: Fields): readonly string[] =>
  Object.entries(entity).flatMap(([name, value]) => {
    const isRight =
      OPTIONS[name] ??
      (name.endsWith('_topic')
        ? isTopic
        : name === 'availability'
          ? () => true
          : (given: unknown) => isText(given));
    return isRight(value) ? [] : [`${name} of ${where} is ${JSON.stringify(value)}`];
  });

const classProblems = (where: string, { classes = {} }: Platform, entity: Fields): readonly string[] => {
  const { device_class: name, unit_of_measurement: unit } = entity;
  if (name === undefined) return [];
  const units = isText(name) ? classes[name] : undefined;
  if (units === undefined) return [`${where} has the device class ${JSON.stringify(name)}`];
  const fits = units.length === 0 ? unit === undefined : isText(unit) && units.includes(unit);
  return fits ? [] : [`${where} does not measure in ${JSON.stringify(unit)}`];
};

const entityProblems = (id: string, entity: Fields, platform: Platform): readonly string[] => {
  const { min = 1, max = 100 } = entity;
  return [
    ...unknownIn(id, entity, [...COMMON, ...platform.required, ...platform.optional]),
    ...platform.required.filter((name) => entity[name] === undefined).map((name) => `${id} has no ${name}`),
    ...(isText(entity['unique_id']) ? [] : [`${id} has no unique_id`]),
    ...optionProblems(id, entity),
    ...classProblems(id, platform, entity),
    ...availabilityProblems(id, entity),
    ...(Number(min) < Number(max) ? [] : [`${id} has a max that is not above its min`]),
    ...(platform.readOnly === true && entity['entity_category'] === 'config'
      ? [`${id} is no configuration`]
      : []),
  ];
};

/** Options of the device that an entity of any platform takes over, unless it has its own. */
const SHARED = ['state_topic', 'command_topic', 'qos', 'encoding', ...AVAILABILITY];

/** The entities of a payload by id, as Home Assistant sees them; those that are removed are not among them. */
export const entitiesOf = (payload: string): Readonly<Record<string, Fields>> => {
  const root = expanded(JSON.parse(payload) as Fields);
  const shared = Object.entries(root).filter(([name]) => SHARED.includes(name));
  const components = isFields(root['components']) ? root['components'] : {};
  return Object.fromEntries(
    Object.entries(components).flatMap(([id, given]) => {
      const entity = expanded(isFields(given) ? given : {});
      if (Object.keys(entity).length < 2) return [];
      const { required = [], optional = [] } = PLATFORMS[String(entity['platform'])] ?? {};
      const takes = [...COMMON, ...required, ...optional];
      return [[id, { ...Object.fromEntries(shared.filter(([name]) => takes.includes(name))), ...entity }]];
    }),
  );
};

/** Why Home Assistant would not take a message at `topic`; empty: it does. */
export const problemsOf = (prefix: string, topic: string, payload: string): readonly string[] => {
  const root = expanded(JSON.parse(payload) as Fields);
  const { device, origin, components } = root;
  if (!isFields(components) || Object.keys(components).length === 0) return ['there are no components'];
  const entities = Object.entries(entitiesOf(payload));
  const ids = entities.map(([, { unique_id }]) => unique_id);
  return [
    ...(topic.startsWith(`${prefix}/device/`) &&
    /^[\w-]+\/config$/.test(topic.slice(`${prefix}/device/`.length))
      ? []
      : [`${topic} is no topic of discovery`]),
    ...unknownIn('the payload', root, ROOT),
    ...deviceProblems(device),
    ...originProblems(origin),
    ...availabilityProblems('the device', root),
    ...Object.entries(components).flatMap(([id, given]) =>
      isFields(given) && PLATFORMS[String(expanded(given)['platform'])] !== undefined
        ? []
        : [`${id} has no platform`],
    ),
    ...entities.flatMap(([id, entity]) => {
      const platform = PLATFORMS[String(entity['platform'])];
      return platform === undefined ? [] : entityProblems(id, entity, platform);
    }),
    ...(new Set(ids).size === ids.length ? [] : ['two entities have the same unique_id']),
  ];
};

const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Whether an entity takes what its template made of a state; `None` is "unknown", to all but colours. */
export const takesState = (entity: Fields, template: string, rendered: string): boolean => {
  if (template === 'rgb_value_template') return /^(?:(?:\d{1,3},){2}\d{1,3})?$/.test(rendered);
  if (rendered === 'None') return true;
  const { device_class: kind, unit_of_measurement: unit, min = 1, max = 100, options } = entity;
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
    case 'select':
      return Array.isArray(options) && options.includes(rendered);
    default:
      return false;
  }
};
