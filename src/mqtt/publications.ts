/** The retained messages of a server below its name: its devices, their states, and how many it has. */
import type { Address } from '../ble/ports.js';
import { ServerDevices, ServerState } from '../contract/index.js';
import { MOST_DEVICES } from './bounded.js';
import type { PublishOptions } from './broker.js';
import type { HomeAssistant } from './descriptions.js';
import type { Member, MemberDevice } from './fleet.js';
import { readDevices, type Peer } from './messages.js';

export interface PublicationsOptions {
  /** Undefined before the device server has joined. */
  readonly member: () => Pick<Member, 'devices' | 'device'> | undefined;
  /** Undefined without Home Assistant. */
  readonly homeAssistant: HomeAssistant | undefined;
}

export class Publications {
  /** The messages of this connection, by topic. */
  private readonly retained = new Map<string, string>();
  /** Devices that may have retained messages. */
  private readonly published = new Set<Address>();
  /** Devices whose state is on its way to the broker; true: the state has changed since. */
  private readonly underWay = new Map<Address, boolean>();
  /** Whether the retained list of devices has arrived on this connection. */
  private isOpen = false;
  /** The devices in the list of an earlier version. */
  private earlier: readonly Address[] | undefined;

  constructor(
    private readonly peer: Pick<Peer, 'topics' | 'broker'>,
    private readonly options: PublicationsOptions,
  ) {}

  /** Takes the list of devices that an earlier connection or run has left. */
  inherit(payload: Buffer): void {
    for (const address of readDevices(payload)?.devices.slice(0, MOST_DEVICES) ?? [])
      this.published.add(address);
  }

  /** Takes the list of devices that an earlier version has left. */
  inheritEarlier(payload: Buffer): void {
    if (payload.length > 0) this.earlier = readDevices(payload)?.devices.slice(0, MOST_DEVICES) ?? [];
  }

  /**
   * Publishes all messages, and clears those of devices without a session; to be called when the retained messages of this server
   * have arrived.
   */
  joined(): void {
    this.isOpen = true;
    this.clearEarlier();
    this.publishAll();
  }

  lost(): void {
    this.isOpen = false;
    for (const messages of [this.retained, this.underWay]) messages.clear();
  }

  /** To be called when the device server has joined, too. */
  publishAll(): void {
    const { member } = this.options;
    if (!this.isOpen || member() === undefined) return;
    // Home Assistant needs a server before its devices.
    this.introduceServer();
    for (const { address } of this.devices()) this.published.add(address);
    this.retainDevices();
    for (const address of this.published) this.publish(address);
  }

  /** Publishes the changes of a device, or its end. */
  publish(address: Address): void {
    const member = this.options.member();
    if (!this.isOpen || member === undefined) return;
    const { topics } = this.peer;
    const device = member.device(address);
    if (device === undefined) {
      this.leave(address);
      return;
    }
    if (!this.published.has(address)) {
      this.published.add(address);
      this.retainDevices();
    }
    this.publishState(device);
    this.retain(topics.availability(address), device.isAvailable ? 'online' : 'offline');
    this.options.homeAssistant?.descriptions.update(device);
  }

  /** Describes the server to Home Assistant again, as the device through which its devices are reached. */
  introduceServer(): void {
    const { homeAssistant } = this.options;
    if (homeAssistant === undefined) return;
    const { topic, payload } = homeAssistant.discovery.server;
    this.peer.broker.publish(topic, payload(), { retain: true });
    this.retained.delete(this.peer.topics.serverState);
    this.updateServer();
  }

  /** Publishes for Home Assistant how many devices have a link. */
  updateServer(): void {
    if (!this.isOpen || this.options.homeAssistant === undefined) return;
    const connected = this.devices().filter(({ isLinked }) => isLinked).length;
    this.retain(this.peer.topics.serverState, JSON.stringify(ServerState.encode({ connected })));
  }

  /** Describes the server and all devices to Home Assistant again. */
  introduceAll(): void {
    this.introduceServer();
    this.options.homeAssistant?.descriptions.repeat();
    for (const { address } of this.devices()) this.publish(address);
  }

  /** Clears the messages that an earlier version has left for the devices of its list, and then the list. */
  private clearEarlier(): void {
    const { broker, topics } = this.peer;
    if (this.earlier === undefined) return;
    for (const address of this.earlier)
      for (const topic of topics.earlier.topics(address)) broker.publish(topic, '', { retain: true });
    broker.publish(topics.earlier.devices, '', { retain: true });
    this.earlier = undefined;
  }

  private devices(): readonly MemberDevice[] {
    return this.options.member()?.devices() ?? [];
  }

  private retain(topic: string, payload: string, options: PublishOptions = {}): boolean {
    if (this.retained.get(topic) === payload) return false;
    this.retained.set(topic, payload);
    this.peer.broker.publish(topic, payload, { ...options, retain: true });
    return true;
  }

  private retainDevices(): void {
    const list = ServerDevices.encode({ devices: [...this.published].sort() });
    this.retain(this.peer.topics.devices, JSON.stringify(list));
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
    if (this.retain(this.peer.topics.state(address), JSON.stringify(state()), { settled }))
      this.underWay.set(address, false);
  }

  /**
   * Clears the messages of a device without a session. Its last availability is empty after `offline` has arrived, since Home
   * Assistant ignores an empty one. The list follows last: if the connection is lost before, the next one clears the rest.
   */
  private leave(address: Address): void {
    if (!this.published.has(address)) return;
    const { topics } = this.peer;
    this.options.homeAssistant?.descriptions.leave(address);
    this.underWay.delete(address);
    this.retain(topics.state(address), '');
    const settled = (): void => {
      if (!this.isOpen || this.options.member()?.device(address) !== undefined) return;
      if (!this.published.delete(address)) return;
      this.retain(topics.availability(address), '');
      for (const topic of [topics.state(address), topics.availability(address)]) this.retained.delete(topic);
      this.retainDevices();
    };
    this.retained.delete(topics.availability(address));
    this.retain(topics.availability(address), 'offline', { settled });
  }
}
