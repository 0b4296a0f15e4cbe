/** The retained messages of a server: the states of its devices, and the descriptions of devices and server for Home Assistant. */
import type { Address } from '../ble/ports.js';
import { ServerState, type OwnedDevices } from '../contract/index.js';
import type { PublishOptions } from './broker.js';
import { readOwned, type Peer } from './claims.js';
import type { Member, MemberDevice } from './fleet.js';
import type { Discovery } from './home-assistant.js';
import type { Owners, Standing } from './owners.js';

export interface PublicationsOptions {
  /** Undefined before the device server has joined. */
  readonly member: () => Pick<Member, 'devices' | 'device' | 'times'> | undefined;
  /** Only the owner of a device writes its retained messages, and clears them in the end. */
  readonly owners: Pick<Owners, 'standing' | 'epochOf' | 'held' | 'watch'>;
  /** Undefined without Home Assistant. */
  readonly discovery: Discovery | undefined;
}

/** Devices that a server inherits from its previous run. */
const MOST_INHERITED = 1_000;

export class Publications {
  /** The retained messages, by topic. */
  private readonly retained = new Map<string, string>();
  /** The data in Home Assistant's description of each device. */
  private readonly introduced = new Map<Address, readonly unknown[]>();
  /** Pending messages that remove entities of an earlier version; sent with the next description. */
  private readonly withdrawals = new Map<Address, string>();
  /** Devices that may have retained messages. */
  private readonly published = new Set<Address>();
  /** Devices to remove from Home Assistant as soon as their owners are known. */
  private readonly forgotten = new Set<Address>();
  /** Devices whose state is on its way to the broker; true: the state has changed since. */
  private readonly underWay = new Map<Address, boolean>();
  /** The owners of devices at this server's last publication; its own epoch, if it was the owner. */
  private readonly standings = new Map<Address, Standing | number>();

  constructor(
    private readonly peer: Pick<Peer, 'self' | 'topics' | 'broker'>,
    private readonly options: PublicationsOptions,
  ) {}

  /** Publishes the changes of a device, or its end, if this server is its owner. */
  publish(address: Address): void {
    const { owners } = this.options;
    const device = this.deviceOf(address);
    if (device === undefined) {
      this.leave(address);
      return;
    }
    if (owners.standing(address) !== 'own') return;
    this.adopt(address);
    this.introduce(device);
    this.publishState(device);
    const availability = device.isConnected ? 'online' : 'offline';
    this.retain(this.peer.topics.availability(address), availability, { epoch: owners.epochOf(address) });
  }

  /** Publishes all messages about a device again, which another server may have overwritten. */
  repeat(address: Address): void {
    this.disregard(address);
    this.publish(address);
  }

  /** Publishes the devices whose owner has changed or has become known. */
  settle(): void {
    const { owners } = this.options;
    const present = this.devices().map(({ address }) => address);
    const addresses = new Set([...present, ...owners.held.keys(), ...this.published, ...this.forgotten]);
    for (const address of this.standings.keys()) if (!addresses.has(address)) this.standings.delete(address);
    for (const address of addresses) {
      const standing = owners.standing(address);
      const owner = standing === 'own' ? owners.epochOf(address) : standing;
      if (this.standings.get(address) === owner) continue;
      this.standings.set(address, owner);
      if (standing === 'own') this.adopt(address);
      this.repeat(address);
      if (this.forgotten.has(address)) this.forget(address);
    }
  }

  /** Takes over the retained messages of this server's previous run, from its list of devices. */
  inherit(payload: Buffer): void {
    const list = readOwned(payload);
    if (list?.name !== this.peer.self.name) return;
    for (const address of list.devices.slice(0, MOST_INHERITED)) {
      this.published.add(address);
      this.options.owners.watch(address);
    }
    this.retainDevices();
  }

  /** Takes a retained message that may describe a device: an earlier version may have described more entities there. */
  supersede(topic: string, payload: string): void {
    const { discovery } = this.options;
    const device = this.devices().find(({ address }) => discovery?.topic(address) === topic);
    if (discovery === undefined || device === undefined) return;
    const { address, homeAssistant } = device;
    const withdrawal = discovery.withdrawal(address, homeAssistant.describe, payload);
    if (withdrawal === undefined) return;
    this.withdrawals.set(address, withdrawal);
    this.repeat(address);
  }

  /** Publishes all messages again as soon as owners are known, and clears messages of devices that left without a connection. */
  publishAll(): void {
    for (const messages of [this.retained, this.introduced, this.underWay, this.standings]) messages.clear();
    // Home Assistant needs a server before its devices.
    if (this.options.member() !== undefined) this.introduceServer();
    for (const address of this.published) this.options.owners.watch(address);
    if (this.published.size > 0) this.retainDevices();
    this.settle();
  }

  /** Removes a device without a session from Home Assistant. */
  forget(address: Address): void {
    const { discovery, owners } = this.options;
    if (discovery === undefined || this.deviceOf(address) !== undefined) return;
    const standing = this.peer.broker.connected ? owners.standing(address) : 'unknown';
    if (standing === 'unknown') {
      this.forgotten.add(address);
      return;
    }
    this.forgotten.delete(address);
    if (standing !== 'elsewhere') for (const topic of this.descriptionTopics(address)) this.retain(topic, '');
  }

  /** Describes the server to Home Assistant again, as the device through which its devices are reached. */
  introduceServer(): void {
    const { discovery } = this.options;
    if (discovery === undefined) return;
    const { topic, payload } = discovery.server;
    this.peer.broker.publish(topic, payload(), { retain: true });
    this.retained.delete(this.peer.topics.serverState);
    this.updateServer();
  }

  /** Publishes for Home Assistant how many devices have a link. */
  updateServer(): void {
    if (this.options.discovery === undefined) return;
    const connected = this.devices().filter(({ isConnected }) => isConnected).length;
    this.retain(this.peer.topics.serverState, JSON.stringify(ServerState.encode({ connected })));
  }

  /** Describes all devices to Home Assistant again. */
  introduceDevices(): void {
    const { owners } = this.options;
    for (const device of this.devices()) {
      if (owners.standing(device.address) !== 'own') continue;
      this.disregardDescription(device.address);
      this.introduce(device);
    }
  }

  private devices(): readonly MemberDevice[] {
    return this.options.member()?.devices() ?? [];
  }

  private deviceOf(address: Address): MemberDevice | undefined {
    return this.options.member()?.device(address);
  }

  private retain(topic: string, payload: string, options: PublishOptions = {}): boolean {
    if (this.retained.get(topic) === payload) return false;
    this.retained.set(topic, payload);
    this.peer.broker.publish(topic, payload, { ...options, retain: true });
    return true;
  }

  /** Retains the list of devices with retained messages, for the next run of this server. */
  private retainDevices(): void {
    const list: OwnedDevices = { ...this.peer.self, devices: [...this.published].sort() };
    this.retain(this.peer.topics.owned, JSON.stringify(list));
  }

  /** One state at a time: if a device changes faster than the broker acknowledges, only the newest state follows. */
  private publishState({ address, state }: MemberDevice): void {
    if (this.underWay.has(address)) {
      this.underWay.set(address, true);
      return;
    }
    const settled = (): void => {
      const hasChanged = this.underWay.get(address);
      this.underWay.delete(address);
      if (hasChanged === true) this.publish(address);
    };
    const epoch = this.options.owners.epochOf(address);
    const payload = JSON.stringify({ ...state(), epoch });
    if (this.retain(this.peer.topics.state(address), payload, { epoch, settled }))
      this.underWay.set(address, false);
  }

  private introduce({ address, homeAssistant }: MemberDevice): void {
    const { discovery, owners } = this.options;
    if (discovery === undefined) return;
    this.forgotten.delete(address);
    const { dependencies, describe } = homeAssistant;
    const before = this.introduced.get(address);
    if (before !== undefined && dependencies.every((part, at) => part === before[at])) return;
    this.introduced.set(address, dependencies);
    const withdrawal = this.withdrawals.get(address);
    if (withdrawal !== undefined) this.peer.broker.publish(discovery.topic(address), withdrawal);
    this.withdrawals.delete(address);
    const epoch = owners.epochOf(address);
    for (const { topic, payload } of discovery.describe(address, describe))
      this.retain(topic, payload, { epoch });
  }

  private disregard(address: Address): void {
    const { topics } = this.peer;
    for (const topic of [topics.state(address), topics.availability(address)]) this.retained.delete(topic);
    this.disregardDescription(address);
    this.underWay.delete(address);
  }

  private disregardDescription(address: Address): void {
    for (const topic of this.descriptionTopics(address)) this.retained.delete(topic);
    this.introduced.delete(address);
  }

  private descriptionTopics(address: Address): readonly string[] {
    const { discovery, member } = this.options;
    return discovery?.topics(address, member()?.times ?? []) ?? [];
  }

  /** Makes this server clear the retained messages of a device in the end, also the messages of an earlier owner. */
  private adopt(address: Address): void {
    if (this.published.has(address)) return;
    this.published.add(address);
    this.retainDevices();
  }

  private leave(address: Address): void {
    const { owners } = this.options;
    const standing = owners.standing(address);
    if (standing === 'unknown' || owners.held.has(address) || !this.published.delete(address)) return;
    this.introduced.delete(address);
    this.withdrawals.delete(address);
    this.underWay.delete(address);
    if (standing !== 'elsewhere') {
      this.retain(this.peer.topics.state(address), '');
      this.retain(this.peer.topics.availability(address), 'offline');
    }
    // The list comes last: if the connection is lost before it, the next run clears the remaining messages.
    this.retainDevices();
  }
}
