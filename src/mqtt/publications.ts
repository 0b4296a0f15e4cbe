/** The retained messages of a server: the states of its devices, and their descriptions for Home Assistant. */
import type { Address } from '../ble/ports.js';
import type { OwnedDevices } from '../contract/index.js';
import type { Broker, PublishOptions } from './broker.js';
import { readOwned, type Identity } from './claims.js';
import type { Discovery } from './home-assistant.js';
import type { MemberDevice } from './member.js';
import type { Standing } from './owners.js';
import type { Topics } from '../contract/topics.js';

export interface PublicationsOptions {
  readonly self: () => Identity;
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'connected' | 'publish'>;
  readonly devices: () => readonly MemberDevice[];
  readonly deviceOf: (address: Address) => MemberDevice | undefined;
  /** Who owns a device: that server alone writes what is retained of it, and clears it in the end. */
  readonly standing: (address: Address) => Standing;
  /** The epoch of this server's ownership. */
  readonly epochOf: (address: Address) => number;
  /** The devices that this server has, or wants. */
  readonly held: ReadonlyMap<Address, unknown>;
  /** Has the owner of a device known. */
  readonly watch: (address: Address) => void;
  /** Undefined: there is no Home Assistant. */
  readonly discovery: Discovery | undefined;
}

/** Devices that a server takes over from an earlier run of its own. */
const MOST_INHERITED = 1_000;

export const openPublications = (options: PublicationsOptions) => {
  const { self, topics, broker, devices, deviceOf, standing, epochOf, held, watch, discovery } = options;
  /** The retained messages, by topic. */
  const retained = new Map<string, string>();
  /** The data from which Home Assistant's description of a device was made. */
  const introduced = new Map<Address, readonly unknown[]>();
  /** Devices of which something may be retained. */
  const published = new Set<Address>();
  /** Devices that clients let go while there was no connection. */
  const forgotten = new Set<Address>();
  /** Devices whose state is on its way, and whether it has changed since. */
  const underWay = new Map<Address, boolean>();
  /** The owners of devices as they were when this server last published of them; its own epoch, if it was the owner. */
  const standings = new Map<Address, Standing | number>();

  const retain = (topic: string, payload: string, given: PublishOptions = {}): boolean => {
    if (retained.get(topic) === payload) return false;
    retained.set(topic, payload);
    broker().publish(topic, payload, { ...given, retain: true });
    return true;
  };

  /** Tells for the time after this run of the server of which devices it has retained something. */
  const retainDevices = (): void => {
    const list: OwnedDevices = { ...self(), devices: [...published].sort() };
    retain(topics.owned, JSON.stringify(list));
  };

  /** One at a time: of a device that changes faster than the broker acknowledges, only the newest is made. */
  const publishState = ({ address, state }: MemberDevice): void => {
    const settled = (): void => {
      const hasChanged = underWay.get(address);
      underWay.delete(address);
      if (hasChanged === true) publish(address);
    };
    if (underWay.has(address)) underWay.set(address, true);
    else {
      const epoch = epochOf(address);
      const payload = JSON.stringify({ ...state(), epoch });
      if (retain(topics.state(address), payload, { epoch, settled })) underWay.set(address, false);
    }
  };

  const introduce = ({ address, homeAssistant }: MemberDevice): void => {
    if (discovery === undefined) return;
    forgotten.delete(address);
    const { dependencies, describe } = homeAssistant;
    const before = introduced.get(address);
    if (before !== undefined && dependencies.every((part, at) => part === before[at])) return;
    introduced.set(address, dependencies);
    retain(discovery.topic(address), discovery.payload(address, describe), { epoch: epochOf(address) });
  };

  /** Takes nothing of a device for published. */
  const renounce = (address: Address): void => {
    for (const topic of [topics.state(address), topics.availability(address)]) retained.delete(topic);
    if (discovery !== undefined) retained.delete(discovery.topic(address));
    introduced.delete(address);
    underWay.delete(address);
  };

  /** Makes this server clear the retained messages of a device, its own and those of an owner that is gone. */
  const adopt = (address: Address): void => {
    if (published.has(address)) return;
    published.add(address);
    retainDevices();
  };

  const leave = (address: Address): void => {
    const is = standing(address);
    if (is === 'unknown' || held.has(address) || !published.delete(address)) return;
    introduced.delete(address);
    underWay.delete(address);
    if (is !== 'elsewhere') {
      retain(topics.state(address), '');
      retain(topics.availability(address), 'offline');
    }
    // Last: if the connection is lost in between, the next run clears what is left.
    retainDevices();
  };

  const publish = (address: Address): void => {
    const device = deviceOf(address);
    if (device === undefined) {
      leave(address);
      return;
    }
    if (standing(address) !== 'own') return;
    adopt(address);
    introduce(device);
    publishState(device);
    retain(topics.availability(address), device.isConnected ? 'online' : 'offline', {
      epoch: epochOf(address),
    });
  };

  const forget = (address: Address): void => {
    if (discovery === undefined || deviceOf(address) !== undefined) return;
    const is = broker().connected ? standing(address) : 'unknown';
    if (is === 'unknown') {
      forgotten.add(address);
      return;
    }
    forgotten.delete(address);
    if (is !== 'elsewhere') retain(discovery.topic(address), '');
  };

  const repeat = (address: Address): void => {
    renounce(address);
    publish(address);
  };

  const settle = (): void => {
    const present = devices().map(({ address }) => address);
    const addresses = new Set([...present, ...held.keys(), ...published, ...forgotten]);
    for (const address of standings.keys()) if (!addresses.has(address)) standings.delete(address);
    for (const address of addresses) {
      const is = standing(address);
      const owner = is === 'own' ? epochOf(address) : is;
      if (standings.get(address) === owner) continue;
      standings.set(address, owner);
      if (is === 'own') adopt(address);
      repeat(address);
      if (forgotten.has(address)) forget(address);
    }
  };

  return {
    /** Publishes what is new of a device, or that it has gone, if it is for this server to say. */
    publish,
    /** Publishes all of a device again, which another server may have written. */
    repeat,
    /** Publishes of the devices whose owner has changed or has become known. */
    settle,
    /** Takes what an earlier run of this server retained, as it has told. */
    inherit: (payload: Buffer): void => {
      const told = readOwned(payload);
      if (told?.name !== self().name) return;
      for (const address of told.devices.slice(0, MOST_INHERITED)) {
        published.add(address);
        watch(address);
      }
      retainDevices();
    },
    /** Publishes all again at a new connection, as soon as owners are known: of devices that went while there was none too. */
    publishAll: (): void => {
      for (const one of [retained, introduced, underWay, standings]) one.clear();
      for (const address of published) watch(address);
      if (published.size > 0) retainDevices();
      settle();
    },
    /** Home Assistant has no use for a device any more, unless it has a session. */
    forget,
    /** Tells Home Assistant of all devices again. */
    introduceAll: (): void => {
      for (const device of devices()) {
        if (standing(device.address) !== 'own') continue;
        if (discovery !== undefined) retained.delete(discovery.topic(device.address));
        introduced.delete(device.address);
        introduce(device);
      }
    },
  };
};
