/**
 * The descriptions of devices for Home Assistant. Each device has one, which names the topics of the server that wrote it: a server
 * with a link to the device. Servers listen to the descriptions of their devices.
 */
import { addNewest } from '../async/newest.js';
import type { Cancel } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import { MOST_DEVICES, MOST_PARTS } from './bounded.js';
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
  /** Whether the last description is one of this server, by the messages so far. */
  isOwn: boolean;
  /** The parts of all descriptions that were seen, at most `MOST_PARTS`. */
  parts: Parts;
  pauseMs: number;
  cancel: Cancel | undefined;
}

const merged = (parts: Parts, more: Parts): Parts =>
  Object.fromEntries(Object.entries({ ...parts, ...more }).slice(0, MOST_PARTS));

export class Descriptions {
  private readonly described = new Map<Address, Described>();
  /** Devices that clients have disconnected, until they have left Home Assistant. */
  private readonly dismissed = new Set<Address>();

  constructor(
    private readonly peer: Pick<Peer, 'topics' | 'broker' | 'time'>,
    private readonly discovery: Discovery,
    private readonly member: () => Pick<Member, 'device' | 'times'> | undefined,
  ) {}

  /** Takes a message on the topic of a description; empty: the description is removed. */
  received(address: Address, { payload, retained }: Message): void {
    const device = this.member()?.device(address);
    if (device === undefined) {
      if (retained) this.removeDismissed(address, this.discovery.isOwn(payload));
      return;
    }
    const entry = this.entryOf(address);
    const seen = Object.keys(entry.parts).length;
    entry.parts = merged(entry.parts, this.discovery.partsIn(payload));
    if (retained && entry.written !== undefined) {
      // It is older than the description of this server, which has to remove its parts.
      if (device.isAvailable && Object.keys(entry.parts).length > seen) this.write(device);
      return;
    }
    entry.isOwn = this.discovery.isOwn(payload);
    if (!entry.isOwn && !retained && device.isLinked) this.rewriteLater(address, entry);
  }

  /** Describes an available device if its data have changed since the last description, or if its link is new. */
  update(device: MemberDevice): void {
    const { address, isAvailable, isLinked, homeAssistant } = device;
    const entry = this.entryOf(address);
    this.dismissed.delete(address);
    if (isLinked && !entry.isLinked) {
      entry.pauseMs = FIRST_PAUSE_MS;
      entry.written = undefined;
      entry.sent.clear();
    }
    entry.isLinked = isLinked;
    const { written } = entry;
    const isCurrent =
      written !== undefined && homeAssistant.dependencies.every((part, at) => part === written[at]);
    if (isAvailable && !isCurrent) this.write(device);
  }

  /** Describes all available devices at their next update again. */
  repeat(): void {
    for (const entry of this.described.values()) {
      entry.written = undefined;
      entry.sent.clear();
    }
  }

  /** To be called before a client ends the session of a device. */
  dismiss(address: Address): void {
    addNewest(this.dismissed, address, MOST_DEVICES);
  }

  /** To be called when a device has no session any more: removes a dismissed one if no other server has described it since. */
  leave(address: Address): void {
    const entry = this.described.get(address);
    if (entry === undefined) return;
    this.stop(entry);
    this.described.delete(address);
    this.removeDismissed(address, entry.isOwn);
  }

  /**
   * To be called when the retained messages at the beginning of a connection have arrived: asks for the descriptions of devices that
   * clients have disconnected without a connection.
   */
  joined(): void {
    const left = [...this.dismissed].filter((address) => this.member()?.device(address) === undefined);
    this.peer.broker.subscribe(left.map(this.discovery.topic));
  }

  lost(): void {
    for (const entry of this.described.values()) this.stop(entry);
    this.described.clear();
  }

  /** `isOwn`: the retained description of the device is one of this server. */
  private removeDismissed(address: Address, isOwn: boolean): void {
    if (!this.dismissed.has(address)) return;
    const settled = (): void => {
      // The device may have a session again.
      if (!this.described.has(address)) this.dismissed.delete(address);
    };
    if (!isOwn) settled();
    else
      for (const topic of this.discovery.topics(address, this.member()?.times ?? []))
        this.peer.broker.publish(topic, '', { retain: true, settled });
  }

  private entryOf(address: Address): Described {
    const entry = this.described.get(address) ?? {
      ...{ written: undefined, sent: new Map(), isLinked: false, isOwn: false, parts: {} },
      ...{ pauseMs: FIRST_PAUSE_MS, cancel: undefined },
    };
    this.described.set(address, entry);
    return entry;
  }

  private stop(entry: Described): void {
    entry.cancel?.();
    entry.cancel = undefined;
  }

  private write({ address, homeAssistant: { dependencies, describe } }: MemberDevice): void {
    const entry = this.entryOf(address);
    this.stop(entry);
    entry.written = dependencies;
    entry.isOwn = true;
    const earlier = { parts: entry.parts, times: this.member()?.times ?? [] };
    for (const { topic, payload } of this.discovery.describe(address, describe, earlier)) {
      if (entry.sent.get(topic) === payload) continue;
      entry.sent.set(topic, payload);
      // The next description may come before this one has come back.
      entry.parts = merged(entry.parts, this.discovery.partsIn(Buffer.from(payload)));
      this.peer.broker.publish(topic, payload, { retain: true });
    }
  }

  /** Two servers may both take a link for alive: the pauses between their descriptions grow. */
  private rewriteLater(address: Address, entry: Described): void {
    entry.cancel ??= this.peer.time.after(entry.pauseMs, () => {
      entry.cancel = undefined;
      entry.pauseMs = Math.min(entry.pauseMs * 2, LONGEST_PAUSE_MS);
      const device = this.member()?.device(address);
      if (device?.isLinked !== true) return;
      entry.sent.clear();
      this.write(device);
    });
  }
}

export interface HomeAssistant {
  readonly discovery: Discovery;
  readonly descriptions: Descriptions;
}
