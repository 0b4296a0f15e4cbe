/** The retained messages of a server: the states of its devices, and their descriptions for Home Assistant. */
import type { Address } from '../ble/ports.js';
import type { Broker } from './broker.js';
import type { Discovery } from './home-assistant.js';
import type { MemberDevice } from './member.js';
import type { Topics } from '../contract/topics.js';

export interface PublicationsOptions {
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'connected' | 'publish'>;
  readonly devices: () => readonly MemberDevice[];
  readonly deviceOf: (address: Address) => MemberDevice | undefined;
  /** Whether another server has a device: what is retained of it is of that one. */
  readonly isElsewhere: (address: Address) => boolean;
  /** Undefined: there is no Home Assistant. */
  readonly discovery: Discovery | undefined;
}

/** Devices that a server takes over from an earlier connection of its own. */
const MOST_INHERITED = 1_000;

export const openPublications = ({
  topics,
  broker,
  devices,
  deviceOf,
  isElsewhere,
  discovery,
}: PublicationsOptions) => {
  /** The retained messages, by topic. */
  const retained = new Map<string, string>();
  /** The data from which Home Assistant's description of a device was made. */
  const introduced = new Map<Address, readonly unknown[]>();
  /** Devices of which something may be retained. */
  const published = new Set<Address>();
  /** Devices of an earlier connection, by what others may have made up. */
  const inherited = new Set<Address>();
  /** Devices that clients let go while there was no connection. */
  const forgotten = new Set<Address>();
  /** Devices whose state is on its way, and whether it has changed since. */
  const underWay = new Map<Address, boolean>();

  const retain = (topic: string, payload: string, settled?: () => void): boolean => {
    if (retained.get(topic) === payload) return false;
    retained.set(topic, payload);
    broker().publish(topic, payload, { retain: true, settled });
    return true;
  };

  /** One at a time: of a device that changes faster than the broker acknowledges, only the newest is made. */
  const publishState = ({ address, state }: MemberDevice): void => {
    const settled = (): void => {
      const hasChanged = underWay.get(address);
      underWay.delete(address);
      if (hasChanged === true) publish(address);
    };
    if (underWay.has(address)) underWay.set(address, true);
    else if (retain(topics.state(address), JSON.stringify(state()), settled)) underWay.set(address, false);
  };

  const introduce = ({ address, homeAssistant }: MemberDevice): void => {
    if (discovery === undefined) return;
    forgotten.delete(address);
    const { dependencies, describe } = homeAssistant;
    const before = introduced.get(address);
    if (before !== undefined && dependencies.every((part, at) => part === before[at])) return;
    introduced.set(address, dependencies);
    retain(discovery.topic(address), discovery.payload(address, describe));
  };

  const leave = (address: Address): void => {
    if (!published.delete(address)) return;
    introduced.delete(address);
    underWay.delete(address);
    const own = [topics.state(address), topics.availability(address)];
    if (isElsewhere(address)) {
      for (const topic of [...own, ...(discovery === undefined ? [] : [discovery.topic(address)])])
        retained.delete(topic);
      return;
    }
    retain(topics.state(address), '');
    retain(topics.availability(address), 'offline');
  };

  const publish = (address: Address): void => {
    const device = deviceOf(address);
    if (device === undefined) {
      leave(address);
      return;
    }
    published.add(address);
    introduce(device);
    publishState(device);
    retain(topics.availability(address), device.isConnected ? 'online' : 'offline');
  };

  const forget = (address: Address): void => {
    if (discovery === undefined || deviceOf(address) !== undefined || isElsewhere(address)) return;
    if (broker().connected) retain(discovery.topic(address), '');
    else forgotten.add(address);
  };

  return {
    /** Publishes what is new of a device, or that it has gone. */
    publish,
    /** Publishes of a device that this server had on an earlier connection, or before it was killed. */
    inherit: (address: Address): void => {
      if (inherited.size >= MOST_INHERITED) return;
      inherited.add(address);
      published.add(address);
      publish(address);
    },
    /** Publishes all again, at a new connection: of devices that went while there was none too. */
    publishAll: (): void => {
      retained.clear();
      introduced.clear();
      underWay.clear();
      inherited.clear();
      const present = devices().map(({ address }) => address);
      for (const address of new Set([...present, ...published])) publish(address);
      for (const address of forgotten) forget(address);
      forgotten.clear();
    },
    /** Home Assistant has no use for a device any more, unless it has a session. */
    forget,
    /** Tells Home Assistant of all devices again. */
    introduceAll: (): void => {
      for (const device of devices()) {
        if (discovery !== undefined) retained.delete(discovery.topic(device.address));
        introduced.delete(device.address);
        introduce(device);
      }
    },
  };
};
