/** The topics of the devices that a server has sessions with: commands to them, and messages that others publish in its place. */
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import { ANY } from '../contract/topics.js';
import { LATE_MS, type Peer } from './claims.js';

/** The time until this server replaces messages of others about a device, ms. */
const REPAIR_MS = 500;

export interface FollowingOptions {
  readonly hasSession: (address: Address) => boolean;
  /** Whether other servers should report how they hear a device. */
  readonly roams: boolean;
  /** Publishes the messages about a device again; later also its owner, which has been repaired before. */
  readonly repeat: (address: Address, isLate: boolean) => void;
  /** The topic of Home Assistant's description; undefined without Home Assistant. */
  readonly descriptionOf: (address: Address) => string | undefined;
}

interface Repair {
  readonly cancel: Cancel;
  readonly isLate: boolean;
}

export class Following {
  private readonly followed = new Set<Address>();
  /** Devices whose messages others have overwritten, until the repair. */
  private readonly overwritten = new Map<Address, Repair>();

  constructor(
    private readonly peer: Peer,
    private readonly options: FollowingOptions,
  ) {}

  /** The topics for the subscription at the beginning of a connection. */
  subscriptions(): readonly string[] {
    return [...this.followed].flatMap((address) => this.openTopicsOf(address));
  }

  opened(): void {
    const topics = [...this.followed].flatMap((address) => this.ownTopicsOf(address));
    this.peer.broker.subscribe(topics, { ofOthers: true });
  }

  /** To be called when the session of a device may have begun or ended. */
  follow(address: Address): void {
    const { broker } = this.peer;
    const [openTopics, ownTopics] = [this.openTopicsOf(address), this.ownTopicsOf(address)];
    if (this.options.hasSession(address) === this.followed.has(address)) return;
    if (this.followed.delete(address)) {
      for (const topic of [...openTopics, ...ownTopics]) broker.unsubscribe(topic);
      return;
    }
    this.followed.add(address);
    broker.subscribe(openTopics);
    broker.subscribe(ownTopics, { ofOthers: true });
  }

  /** Publishes all messages about a device again, once for several changes by others within a short time, and once more later. */
  repair(address: Address): void {
    const repair = this.overwritten.get(address);
    if (repair?.isLate === false) return;
    repair?.cancel();
    this.repeatAfter(REPAIR_MS, address, false);
  }

  /** To be called with a topic outside the prefix of the servers. */
  receiveDescription(topic: string): void {
    for (const address of this.followed)
      if (this.options.descriptionOf(address) === topic) this.repair(address);
  }

  lost(): void {
    for (const { cancel } of this.overwritten.values()) cancel();
    this.overwritten.clear();
  }

  private repeatAfter(ms: number, address: Address, isLate: boolean): void {
    const repeat = (): void => {
      this.overwritten.delete(address);
      this.options.repeat(address, isLate);
      if (!isLate) this.repeatAfter(LATE_MS, address, true);
    };
    this.overwritten.set(address, { cancel: this.peer.time.after(ms, repeat), isLate });
  }

  /** The topics on which other servers and clients publish. */
  private openTopicsOf(address: Address): readonly string[] {
    const { topics } = this.peer;
    const signals = this.options.roams ? [topics.signals(address)] : [];
    return [`${topics.deviceCommands(address)}/${ANY}`, ...signals];
  }

  /** The topics on which only this server should publish. */
  private ownTopicsOf(address: Address): readonly string[] {
    const { topics } = this.peer;
    const description = this.options.descriptionOf(address);
    return [
      topics.state(address),
      topics.availability(address),
      ...(description === undefined ? [] : [description]),
    ];
  }
}
