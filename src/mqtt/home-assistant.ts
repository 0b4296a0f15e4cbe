/** Devices as Home Assistant discovers them: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. */
import type { Json } from 'fp-ts/lib/Json.js';
import type { Address } from '../ble/ports.js';
import { version } from '../system/package.js';
import type { Topics } from '../contract/topics.js';

/** Where the entities of a device find what they show, and say what they want. */
export interface DeviceTopics {
  readonly state: string;
  readonly events: string;
  readonly command: (name: string) => string;
}

/**
 * The options of an entity, by their names in Home Assistant. It shows the state of the device unless it has a `state_topic`;
 * one that has a platform alone is removed.
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
  /** By an id that stays the same. */
  readonly entities: Readonly<Record<string, Entity>>;
}

export type ApplianceOf = (topics: DeviceTopics) => Appliance;

/** The discovery of devices by Home Assistant. */
export interface Discovery {
  /** Where Home Assistant says that it has started. */
  readonly birth: string;
  /** Of a device, retained; an empty payload removes it. */
  readonly topic: (address: Address) => string;
  readonly payload: (address: Address, applianceOf: ApplianceOf) => string;
}

/** The message of Home Assistant at that topic. */
export const BORN = 'online';

/** A template that reads the published state; `None`, which is "unknown", where that is null on the way to it. */
export const valueAt = (...path: readonly string[]): string => {
  const at = (depth: number): string => ['value_json', ...path.slice(0, depth)].join('.');
  const known = ['value', ...path.slice(1).map((_, index) => at(index + 1))].join(' and ');
  return `{{ ${at(path.length)} if ${known} else none }}`;
};

/** The texts of true and false in a template. */
export const TRUTH = { on: 'True', off: 'False' } as const;

const componentOf = (id: string, { platform, ...options }: Entity): Json =>
  Object.keys(options).length === 0 ? { p: platform } : { p: platform, unique_id: id, ...options };

export const discoveryOf = (prefix: string, topics: Topics): Discovery => {
  /** The same on every server. */
  const idOf = (address: Address): string => `airbench_${address.replaceAll(':', '').toLowerCase()}`;
  return {
    birth: `${prefix}/status`,
    topic: (address) => `${prefix}/device/${idOf(address)}/config`,
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
        },
        o: { name: 'airbench', sw_version: version },
        cmps: Object.fromEntries(
          Object.entries(entities).map(([part, entity]) => [part, componentOf(`${id}_${part}`, entity)]),
        ),
        state_topic: topics.state(address),
        availability: [
          { topic: topics.availability(address) },
          { topic: topics.server, value_template: '{{ value_json.status }}' },
        ],
        availability_mode: 'all',
      });
    },
  };
};
