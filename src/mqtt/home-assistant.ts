/** Devices as Home Assistant discovers them: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Decoder } from 'io-ts';
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import type { Address } from '../ble/ports.js';
import { anyObject, decode, object, parseJson, text, textRecord } from '../codecs/index.js';
import type { Kind } from '../contract/index.js';
import { version } from '../system/package.js';
import { ANY, type Topics } from '../contract/topics.js';
import { MOST_PARTS } from './bounded.js';

/** The topics for the entities of a device: shown values and commands. */
export interface DeviceTopics {
  readonly state: string;
  readonly events: string;
  readonly command: (name: string) => string;
}

/** The options of an entity, by their names in Home Assistant. It shows the state of the device unless it has a `state_topic`. */
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
  /** Whether the device may have an entity that is not among them, since its data have not been read; false if left out. */
  readonly isUnknown?: (id: string) => boolean;
}

/** The entities in all servers' descriptions of a device, by their ids. */
export type Parts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type ApplianceOf = (topics: DeviceTopics) => Appliance;

/** A retained message; an empty payload removes what an earlier one on its topic has described. */
export interface Description {
  readonly topic: string;
  readonly payload: string;
}

/** The discovery of devices by Home Assistant. */
export interface Discovery {
  /** The topic on which Home Assistant publishes that it has started. */
  readonly birth: string;
  /** The device whose description has a topic; undefined for other topics. */
  readonly addressIn: (topic: string) => Address | undefined;
  /** The topic of a device's own description. */
  readonly topic: (address: Address) => string;
  /** Whether a topic is of a time of a device. */
  readonly isTimeOf: (address: Address, topic: string) => boolean;
  /** The topics of a device whose times have the ids `times`: its own and one for each time. */
  readonly topics: (address: Address, times: readonly string[]) => readonly string[];
  /** A device, then its times, of all `times`; removes entities of earlier descriptions that the device has no longer. */
  readonly describe: (
    address: Address,
    applianceOf: ApplianceOf,
    earlier: { readonly parts: Parts; readonly times: readonly string[] },
  ) => readonly Description[];
  /** The topics of all descriptions of devices. */
  readonly all: readonly string[];
  /** Whether a description names topics of this server. */
  readonly isOwn: (payload: Buffer) => boolean;
  /** The entities in a description of a device. */
  readonly partsIn: (payload: Buffer) => Parts;
  /** The retained message about the server itself: the device through which its devices are reached. */
  readonly server: { readonly topic: string; readonly payload: () => string };
}

export interface DiscoveryOptions {
  readonly topics: Topics;
  readonly kind: Kind;
  /** The name of the server. */
  readonly name: string;
  /** The address of the server's page, if other machines can open it. */
  readonly page?: () => string | undefined;
  /** The area that Home Assistant suggests for new devices. */
  readonly area?: string | undefined;
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
 * (home-assistant/core, `homeassistant/components/mqtt/`: `number.py`, `select.py`, `time.py`). Undefined: it takes any text.
 */
const conditionOf = ({ platform, min = 0, max = 0, options = [] }: Entity): string | undefined => {
  switch (platform) {
    case 'number':
      return `${JSON.stringify(min)} <= shown | float(${Number(min) - 1}) <= ${JSON.stringify(max)}`;
    case 'select':
      return `shown in ${JSON.stringify(options)}`;
    case 'time':
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
  const template = `{% set shown %}${value_template}{% endset %}{{ shown if ${condition} else none }}`;
  return { ...entity, value_template: template };
};

/**
 * An entity with its lasting id. Home Assistant makes the entity id of the names when it first sees the entity, and then keeps it.
 * With a `default_entity_id` it would replace the id that people gave an entity whose device comes back.
 */
const componentOf = (unique_id: string, entity: Entity): Readonly<Record<string, Json>> => {
  const { platform, ...options } = withinRange(entity);
  return { p: platform, unique_id, ...options };
};

const componentsOf = (id: string, entities: Appliance['entities']): JsonRecord =>
  Object.fromEntries(
    Object.entries(entities).map(([part, entity]) => [part, componentOf(`${id}_${part}`, entity)]),
  );

/**
 * Whether an entity is a time, which has a description of its own: Home Assistant knows times since 2026.5, devices since 2024.12, and
 * refuses the whole description of a device with an unknown platform (home-assistant/core,
 * `homeassistant/components/mqtt/schemas.py`).
 */
const TIME = 'time';
const isTime = ({ platform }: Entity): boolean => platform === TIME;

const readFrom = <A>(payload: Buffer, codec: Decoder<unknown, A>): E.Either<unknown, A> =>
  pipe(parseJson(payload.toString('utf8'), 'the description'), E.chain(decode(codec, 'the description')));

const Described = object({ state_topic: text });
const DescribedDevice = object({ cmps: textRecord(anyObject) });

/** The state topic in a description; empty without one. */
const stateTopicIn = (payload: Buffer): string =>
  pipe(
    readFrom(payload, Described),
    E.match(
      () => '',
      ({ state_topic }) => state_topic,
    ),
  );

const partsIn = (payload: Buffer): Parts =>
  pipe(
    readFrom(payload, DescribedDevice),
    E.match(
      () => ({}),
      ({ cmps }) =>
        Object.fromEntries(
          Object.entries(cmps)
            .filter(([, { p: platform }]) => typeof platform === 'string')
            .slice(0, MOST_PARTS),
        ),
    ),
  );

/** The entities of earlier descriptions that a device has no longer: Home Assistant removes an entity with only a platform. */
const removed = (parts: Parts, { entities, isUnknown = () => false }: Appliance): Parts =>
  Object.fromEntries(
    Object.entries(parts)
      .filter(([part, { p: platform }]) => entities[part] === undefined && platform !== TIME)
      .map(([part, component]) => [part, isUnknown(part) ? component : { p: component['p'] }]),
  );

/** A text as a part of an id, where Home Assistant takes letters, digits, `_` and `-`; different for different texts. */
const idPart = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[_.!~*'()]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    .replaceAll('%', '_');

/** The id of a device, the same on every server. */
const idOf = (address: Address): string => `airbench_${address.replaceAll(':', '').toLowerCase()}`;

/** The address in the id of a device at the end of a topic. */
const addressIn = (topic: string): Address | undefined =>
  /\/airbench_([0-9a-f]{12})\/config$/
    .exec(topic)?.[1]
    ?.toUpperCase()
    .replace(/..(?=.)/g, '$&:');

const originOf = (page: string | undefined): Json => ({
  name: 'airbench',
  sw_version: version,
  ...(page !== undefined && { support_url: `${page}docs` }),
});

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
  { topics, kind, name: server, area, page = () => undefined }: DiscoveryOptions,
): Discovery => {
  const serverId = `airbench_${kind}_${idPart(server)}`;
  const topicOf = (id: string): string => `${prefix}/device/${id}/config`;
  const timesOf = (address: Address): string => `${prefix}/time/${idOf(address)}_`;
  const timeTopicOf = (address: Address, part: string): string => `${timesOf(address)}${part}/config`;
  const pageLink = (): { readonly configuration_url?: string } => {
    const url = page();
    return url === undefined ? {} : { configuration_url: url };
  };
  /** A device, and the fields of each of its descriptions. */
  const described = (address: Address, applianceOf: ApplianceOf) => {
    const appliance = applianceOf({
      state: topics.state(address),
      events: topics.events(address),
      command: (command) => `${topics.deviceCommands(address)}/${command}`,
    });
    const { name, manufacturer, model, firmware } = appliance;
    const dev = {
      identifiers: [idOf(address)],
      connections: [['bluetooth', address]],
      ...{ name, manufacturer, model },
      ...(typeof firmware === 'string' && { sw_version: firmware }),
      ...{ serial_number: address, via_device: serverId },
      ...(area !== undefined && { suggested_area: area }),
      ...pageLink(),
    };
    const availability = [{ topic: topics.availability(address) }, availableWith(topics.server)];
    const common = { dev, o: originOf(page()), state_topic: topics.state(address), availability };
    return { appliance, common: { ...common, availability_mode: 'all' } };
  };
  const describe: Discovery['describe'] = (address, applianceOf, { parts, times }) => {
    const { appliance, common } = described(address, applianceOf);
    const { entities, isUnknown = () => false } = appliance;
    const id = idOf(address);
    const others = Object.fromEntries(Object.entries(entities).filter(([, entity]) => !isTime(entity)));
    const cmps = { ...removed(parts, appliance), ...componentsOf(id, others) };
    const timeOf = (part: string, time: Entity | undefined): string =>
      time === undefined ? '' : JSON.stringify({ ...common, ...componentOf(`${id}_${part}`, time) });
    return [
      { topic: topicOf(id), payload: JSON.stringify({ ...common, cmps }) },
      ...times
        .filter((part) => entities[part] !== undefined || !isUnknown(part))
        .map((part) => ({ topic: timeTopicOf(address, part), payload: timeOf(part, entities[part]) })),
    ];
  };
  const describedServer = (): JsonRecord => ({
    dev: {
      identifiers: [serverId],
      ...{ name: `airbench ${kind} ${server}`, manufacturer: 'airbench', model: `${kind} server` },
      sw_version: version,
      ...pageLink(),
    },
    o: originOf(page()),
    cmps: componentsOf(serverId, serverEntities(topics)),
  });
  return {
    birth: `${prefix}/status`,
    addressIn: (topic) => {
      const address = addressIn(topic);
      return address !== undefined && topic === topicOf(idOf(address)) ? address : undefined;
    },
    topic: (address) => topicOf(idOf(address)),
    isTimeOf: (address, topic) => topic.startsWith(timesOf(address)),
    topics: (address, times) => [topicOf(idOf(address)), ...times.map((part) => timeTopicOf(address, part))],
    describe,
    all: [topicOf(ANY), `${prefix}/time/${ANY}/config`],
    isOwn: (payload) => stateTopicIn(payload).startsWith(`${topics.server}/devices/`),
    partsIn,
    server: { topic: topicOf(serverId), payload: () => JSON.stringify(describedServer()) },
  };
};
