/**
 * The descriptions of devices for Home Assistant. Each device has one, which names the topics of the server that wrote it: a server
 * with a link to the device. Servers listen to the descriptions of their devices.
 */
import { addNewest } from '../async/newest.js';
import type { Cancel } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import { MOST_DEVICES } from './bounded.js';
import type { Message } from './broker.js';
import type { Member, MemberDevice } from './fleet.js';
import type { Discovery, Parts } from './home-assistant.js';
import type { Peer } from './messages.js';

/** The time until a server replaces a description that another one has written: the first, and the longest of doubled ones, ms. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** The description of a device. */
interface Described {
  /** The data that the last description of this connection and this link has; undefined: there is no such description yet. */
  written: readonly unknown[] | undefined;
  /** The messages of this connection, by topic. */
  readonly sent: Map<string, string>;
  isLinked: boolean;
  /** Whether the last description that was seen is one of this server. */
  isOwn: boolean;
  /** The parts of all descriptions that were seen. */
  parts: Parts;
  pauseMs: number;
  cancel: Cancel | undefined;
}

export class Descriptions {
  private readonly described = new Map<Address, Described>();
  /** Devices that clients have disconnected, until they have left Home Assistant. */
  private readonly dismissed = new Set<Address>();

  constructor(
    private readonly peer: Pick<Peer, 'topics' | 'broker' | 'time'>,
    private readonly discovery: Discovery,
    private readonly member: () => Pick<Member, 'device' | 'times'> | undefined,
  ) {}

  /** The topics of devices without a session, for the subscription at the beginning of a connection. */
  subscriptions(): readonly string[] {
    return [...this.dismissed].map(this.discovery.topic);
  }

  /** Takes a message on the topic of a description; empty: the description is removed. */
  received(address: Address, { payload, retained }: Message): void {
    const of = this.of(address);
    const seen = Object.keys(of.parts).length;
    of.isOwn = this.discovery.isOwn(payload);
    of.parts = { ...of.parts, ...this.discovery.partsIn(payload) };
    if (of.isOwn) return;
    const device = this.linked(address);
    if (device === undefined) return;
    // The description of this server, which follows it, has to remove its parts.
    if (retained && of.written !== undefined && Object.keys(of.parts).length > seen) this.write(device);
    else if (!retained) this.rewriteLater(device.address, of);
  }

  /** Describes a device with a link if its data have changed since the last description, or if its link is new. */
  update(device: MemberDevice): void {
    const { address, isConnected, homeAssistant } = device;
    const of = this.of(address);
    this.dismissed.delete(address);
    if (isConnected && !of.isLinked) {
      this.stop(of);
      of.written = undefined;
      of.sent.clear();
    }
    of.isLinked = isConnected;
    const { written } = of;
    const isCurrent =
      written !== undefined && homeAssistant.dependencies.every((part, at) => part === written[at]);
    if (isConnected && !isCurrent) this.write(device);
  }

  /** Describes all devices with a link at their next update again. */
  repeat(): void {
    for (const of of this.described.values()) {
      of.written = undefined;
      of.sent.clear();
    }
  }

  /** To be called before a client ends the session of a device. */
  dismiss(address: Address): void {
    addNewest(this.dismissed, address, MOST_DEVICES);
  }

  /** To be called when a device has no session any more: removes a dismissed one if no other server has described it since. */
  leave(address: Address): void {
    const of = this.described.get(address);
    const wasDismissed = this.dismissed.delete(address);
    if (of === undefined) return;
    this.stop(of);
    this.described.delete(address);
    if (!wasDismissed || !of.isOwn) return;
    for (const topic of this.discovery.topics(address, this.member()?.times ?? []))
      this.peer.broker.publish(topic, '', { retain: true });
  }

  /** To be called when the retained messages at the beginning of a connection have arrived. */
  joined(): void {
    for (const address of this.dismissed)
      if (this.member()?.device(address) === undefined) this.leave(address);
  }

  lost(): void {
    for (const of of this.described.values()) this.stop(of);
    this.described.clear();
  }

  private of(address: Address): Described {
    const of = this.described.get(address) ?? {
      ...{ written: undefined, sent: new Map(), isLinked: false, isOwn: false, parts: {} },
      ...{ pauseMs: FIRST_PAUSE_MS, cancel: undefined },
    };
    this.described.set(address, of);
    return of;
  }

  private linked(address: Address): MemberDevice | undefined {
    const device = this.member()?.device(address);
    return device?.isConnected === true ? device : undefined;
  }

  private stop(of: Described): void {
    of.cancel?.();
    of.cancel = undefined;
    of.pauseMs = FIRST_PAUSE_MS;
  }

  private write({ address, homeAssistant: { dependencies, describe } }: MemberDevice): void {
    const of = this.of(address);
    of.written = dependencies;
    const earlier = { parts: of.parts, times: this.member()?.times ?? [] };
    for (const { topic, payload } of this.discovery.describe(address, describe, earlier)) {
      if (of.sent.get(topic) === payload) continue;
      of.sent.set(topic, payload);
      // The next description may come before this one has come back.
      of.parts = { ...of.parts, ...this.discovery.partsIn(Buffer.from(payload)) };
      this.peer.broker.publish(topic, payload, { retain: true });
    }
  }

  /** Two servers may both take a link for alive: the pauses between their descriptions grow. */
  private rewriteLater(address: Address, of: Described): void {
    of.cancel ??= this.peer.time.after(of.pauseMs, () => {
      of.cancel = undefined;
      of.pauseMs = Math.min(of.pauseMs * 2, LONGEST_PAUSE_MS);
      const device = this.linked(address);
      if (device === undefined || of.isOwn) return;
      of.sent.clear();
      this.write(device);
    });
  }
}
