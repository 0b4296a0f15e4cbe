/** Devices as Home Assistant discovers them: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. */
import type { Json } from 'fp-ts/lib/Json.js';
import type { Address } from '../ble/ports.js';
import type { Kind } from '../contract/index.js';
import { version } from '../system/package.js';
import type { Topics } from '../contract/topics.js';

/** The topics for the entities of a device: shown values and commands. */
export interface DeviceTopics {
  readonly state: string;
  readonly events: string;
  readonly command: (name: string) => string;
}

/**
 * The options of an entity, by their names in Home Assistant. It shows the state of the device unless it has a `state_topic`;
 * an entity with only a platform is removed.
 */
export interface Entity {
  readonly platform: string;
  readonly [option: string]: Json;
}

export interface Appliance {
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly firmware?: string | null;
  /** The entities by lasting ids. */
  readonly entities: Readonly<Record<string, Entity>>;
}

export type ApplianceOf = (topics: DeviceTopics) => Appliance;

/** The discovery of devices by Home Assistant. */
export interface Discovery {
  /** The topic on which Home Assistant publishes that it has started. */
  readonly birth: string;
  /** The retained topic of a device; an empty payload removes the device. */
  readonly topic: (address: Address) => string;
  readonly payload: (address: Address, applianceOf: ApplianceOf) => string;
  /** The retained message about the server itself: the device through which its devices are reached. */
  readonly server: { readonly topic: string; readonly payload: () => string };
}

/** A version of Home Assistant, such as 2026.5. */
export interface HomeAssistantVersion {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
}

/** The first version with device discovery, and the first one with the platform `time`. */
export const FIRST_VERSION: HomeAssistantVersion = { year: 2024, month: 12 };
const TIME_VERSION: HomeAssistantVersion = { year: 2026, month: 5 };

export const isVersionBefore = (a: HomeAssistantVersion, b: HomeAssistantVersion): boolean =>
  a.year === b.year ? a.month < b.month : a.year < b.year;

export interface DiscoveryOptions {
  readonly topics: Topics;
  readonly kind: Kind;
  /** The name of the server. */
  readonly name: string;
  /** The address of the server's page, if other machines can open it. */
  readonly page?: () => string | undefined;
  /** Undefined: the newest. */
  readonly version?: HomeAssistantVersion | undefined;
}

/** Home Assistant's message on the topic `birth`. */
export const BORN = 'online';

/** A template that reads a value of the published state: `None`, shown as "unknown", if the value or a parent is null. */
export const valueAt = (...path: readonly string[]): string => {
  const at = (depth: number): string => ['value_json', ...path.slice(0, depth)].join('.');
  const parents = ['value', ...path.slice(1).map((_, index) => at(index + 1))].join(' and ');
  return `{{ ${at(path.length)} if ${parents} else none }}`;
};

/** The texts of true and false in a template. */
export const TRUTH = { on: 'True', off: 'False' } as const;

/**
 * The condition on the text `shown` under which an entity takes it; Home Assistant logs an error for any other
 * (home-assistant/core, `homeassistant/components/mqtt/`: `number.py`, `select.py`, `text.py`, `time.py`). Undefined: it takes any
 * text.
 */
const conditionOf = ({ platform, min = 0, max = 0, options = [] }: Entity): string | undefined => {
  switch (platform) {
    case 'number':
      return `${JSON.stringify(min)} <= shown | float(${Number(min) - 1}) <= ${JSON.stringify(max)}`;
    case 'select':
      return `shown in ${JSON.stringify(options)}`;
    case 'time':
    case 'text':
      return 'shown | length == 5 and shown[:2] | int(24) < 24 and shown[3:] | int(60) < 60';
    default:
      return undefined;
  }
};

/** The entity, unknown while its state is outside its range: a device may hold values that nobody can set here. */
const withinRange = (entity: Entity): Entity => {
  const condition = conditionOf(entity);
  const { value_template } = entity;
  if (condition === undefined || typeof value_template !== 'string') return entity;
  // A text cannot be unknown.
  const unknown = entity.platform === 'text' ? "''" : 'none';
  const template = `{% set shown %}${value_template}{% endset %}{{ shown if ${condition} else ${unknown} }}`;
  return { ...entity, value_template: template };
};

/** Whether an entity has only a platform. */
const isRemoved = (entity: Entity): boolean => Object.keys(entity).length === 1;

/**
 * An entity with its lasting id. Home Assistant makes the entity id of the names when it first sees the entity, and then keeps it.
 * With a `default_entity_id` it would replace the id that people gave an entity whose device comes back.
 */
const componentOf = (id: string, entity: Entity): Json => {
  const { platform, ...options } = entity;
  return isRemoved(entity) ? { p: platform } : { p: platform, unique_id: id, ...options };
};

const TEXT_OF_TIME = { platform: 'text', max: 5, pattern: '(([01]\\d|2[0-3]):[0-5]\\d)?$' };

/**
 * An entity for a version of Home Assistant: a text in place of a time before the platform `time`. Home Assistant identifies an entity
 * of a device by platform and part (home-assistant/core, `homeassistant/components/mqtt/discovery.py`) and would keep the text beside
 * the time; so it has a part of its own, which is removed by name.
 */
const suitedTo = (
  version: HomeAssistantVersion,
  part: string,
  entity: Entity,
): readonly (readonly [part: string, entity: Entity])[] => {
  const text = `${part}_text`;
  const removed = { platform: TEXT_OF_TIME.platform };
  if (entity.platform !== 'time') return [[part, entity]];
  if (isVersionBefore(version, TIME_VERSION))
    return [[text, isRemoved(entity) ? removed : { ...entity, ...TEXT_OF_TIME }]];
  return [
    [part, entity],
    [text, removed],
  ];
};

const componentsOf = (id: string, entities: Appliance['entities'], version = TIME_VERSION): Json =>
  Object.fromEntries(
    Object.entries(entities)
      .flatMap(([part, entity]) => suitedTo(version, part, entity))
      .map(([part, entity]) => [part, componentOf(`${id}_${part}`, withinRange(entity))]),
  );

/** A text as a part of an id, where Home Assistant takes letters, digits, `_` and `-`; different for different texts. */
const idPart = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[_.!~*'()]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    .replaceAll('%', '_');

const availableWith = (server: string): Json => ({
  topic: server,
  value_template: '{{ value_json.status }}',
});

const serverEntities = ({ server, serverState }: Topics): Appliance['entities'] => ({
  connection: {
    ...{ platform: 'binary_sensor', name: 'Connection', entity_category: 'diagnostic' },
    ...{ device_class: 'connectivity', payload_on: 'online', payload_off: 'offline' },
    ...{ state_topic: server, value_template: '{{ value_json.status }}' },
  },
  connected: {
    ...{ platform: 'sensor', name: 'Connected devices', entity_category: 'diagnostic' },
    ...{ icon: 'mdi:bluetooth-connect', state_class: 'measurement' },
    ...{ state_topic: serverState, value_template: '{{ value_json.connected }}' },
    availability: [availableWith(server)],
  },
});

export const discoveryOf = (
  prefix: string,
  { topics, kind, name: server, page = () => undefined, version: homeAssistantVersion }: DiscoveryOptions,
): Discovery => {
  /** The id of a device, the same on every server. */
  const idOf = (address: Address): string => `airbench_${address.replaceAll(':', '').toLowerCase()}`;
  const serverId = `airbench_${kind}_${idPart(server)}`;
  const topicOf = (id: string): string => `${prefix}/device/${id}/config`;
  const pageLink = (): { readonly configuration_url?: string } => {
    const url = page();
    return url === undefined ? {} : { configuration_url: url };
  };
  const origin = (): Json => {
    const url = page();
    return { name: 'airbench', sw_version: version, ...(url !== undefined && { support_url: `${url}docs` }) };
  };
  return {
    birth: `${prefix}/status`,
    topic: (address) => topicOf(idOf(address)),
    payload: (address, applianceOf) => {
      const id = idOf(address);
      const { name, manufacturer, model, firmware, entities } = applianceOf({
        state: topics.state(address),
        events: topics.events(address),
        command: (command) => `${topics.deviceCommands(address)}/${command}`,
      });
      return JSON.stringify({
        dev: {
          identifiers: [id],
          connections: [['bluetooth', address]],
          ...{ name, manufacturer, model },
          ...(typeof firmware === 'string' && { sw_version: firmware }),
          ...{ serial_number: address, via_device: serverId },
          ...pageLink(),
        },
        o: origin(),
        cmps: componentsOf(id, entities, homeAssistantVersion),
        state_topic: topics.state(address),
        availability: [{ topic: topics.availability(address) }, availableWith(topics.server)],
        availability_mode: 'all',
      });
    },
    server: {
      topic: topicOf(serverId),
      payload: () =>
        JSON.stringify({
          dev: {
            identifiers: [serverId],
            ...{ name: `airbench ${kind} ${server}`, manufacturer: 'airbench', model: `${kind} server` },
            sw_version: version,
            ...pageLink(),
          },
          o: origin(),
          cmps: componentsOf(serverId, serverEntities(topics)),
        }),
    },
  };
};
