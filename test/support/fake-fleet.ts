/** Servers of a fleet and their broker, in memory: every message waits until a test has it sent or received. */
import * as E from 'fp-ts/lib/Either.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { readClaim, Servers, type Identity } from '../../src/mqtt/claims.js';
import type { Message } from '../../src/mqtt/broker.js';
import { openOwners, type Owners } from '../../src/mqtt/owners.js';
import { topicsOf } from '../../src/contract/topics.js';
import { openMinuteLog } from '../../src/mqtt/minute-log.js';
import { silent } from './log.js';
import { manualTime } from './manual-time.js';

export const DEVICE = 'D1:CE:00:00:00:01';

export interface Said extends Omit<Message, 'retained'> {
  readonly retain: boolean;
}

export class FakeBroker {
  readonly time = manualTime();
  readonly retained = new Map<string, Said>();
  /** Those that have subscribed. */
  readonly members = new Set<FakeMember>();
  /** Last wills that the broker has yet to publish. */
  readonly wills: Said[] = [];
  /** The server that has the link to the device: there is only one. */
  linked: FakeMember | undefined;

  publish(said: Said): void {
    if (said.retain) this.retained.set(said.topic, said);
    for (const { inbox, hears } of this.members)
      if (hears(said.topic)) inbox.push({ ...said, retained: false });
  }

  /** The owner of the device, as a server that only reads sees it. */
  get retainedOwner(): string | undefined {
    const topics = topicsOf('airbench', 'dice', '');
    const servers = new Servers();
    for (const { topic, payload } of this.retained.values()) {
      const name = topics.serverIn(topic);
      if (name !== undefined) servers.receive(name, payload);
    }
    const claim = readClaim(this.retained.get(topics.owner(DEVICE))?.payload ?? Buffer.alloc(0));
    return claim?.state === 'owned' && servers.isValid(claim) ? claim.name : undefined;
  }

  publishWill(): void {
    const will = this.wills.shift();
    if (will !== undefined) this.publish(will);
  }
}

/** A server; `run` is from its start to its end. */
export class FakeMember {
  readonly inbox: Message[] = [];
  readonly outbox: Said[] = [];
  /** Its use of the device: `wanted` before its claim is answered. */
  part: 'none' | 'wanted' | 'attempt' | 'session' = 'none';
  readonly failures: DeviceError[] = [];
  private readonly topics;
  private readonly owners: Owners;
  private connections = 0;

  constructor(
    private readonly broker: FakeBroker,
    readonly name: string,
    private readonly run: string,
  ) {
    this.topics = topicsOf('airbench', 'dice', name);
    this.owners = openOwners({
      self: () => this.self,
      topics: this.topics,
      broker: () => ({
        publish: (topic, payload, { retain = false } = {}) =>
          this.outbox.push({ topic, payload: Buffer.from(payload), retain }),
      }),
      announce: () => this.outbox.push(this.status('online')),
      isLinked: () => broker.linked === this,
      changed: () => undefined,
      disputed: () => undefined,
      time: broker.time,
      log: silent,
      minuteLog: openMinuteLog(silent, broker.time),
    });
    this.owners.ownership.onTaken(() => (this.part = 'none'));
  }

  readonly hears = (topic: string): boolean =>
    topic === this.topics.owned ||
    this.topics.serverIn(topic) !== undefined ||
    this.topics.ownedIn(topic) !== undefined;

  private get self(): Identity {
    return { name: this.name, instance: `${this.run}-${this.connections}` };
  }

  /** Whether it may use the device. */
  get holds(): boolean {
    return this.part === 'attempt' || this.part === 'session';
  }

  /** The owner of the device, as it knows. */
  get owner(): string | undefined {
    const other = this.owners.elsewhere(DEVICE)?.name;
    return other ?? (this.holds ? this.name : undefined);
  }

  get isOnline(): boolean {
    return this.broker.members.has(this);
  }

  connect(): void {
    if (this.isOnline) return;
    this.connections += 1;
    for (const said of this.broker.retained.values()) this.inbox.push({ ...said, retained: true });
    this.broker.members.add(this);
    this.owners.opened();
  }

  /** Its connection is lost; the broker notices it later. */
  cut(): void {
    if (!this.isOnline) return;
    this.vanish();
    this.owners.lost();
  }

  /** As if killed. */
  die(): void {
    this.unlink();
    if (this.isOnline) this.vanish();
    this.owners.close();
  }

  /** In order: it says that it is offline, and there is no last will. */
  stop(): void {
    this.release();
    if (!this.isOnline) return;
    this.broker.members.delete(this);
    this.owners.close();
    for (const said of [...this.outbox.splice(0), this.status('offline')]) this.broker.publish(said);
  }

  send(): void {
    const said = this.outbox.shift();
    if (said !== undefined) this.broker.publish(said);
  }

  receive(): void {
    const message = this.inbox.shift();
    if (message !== undefined) this.owners.received(message);
  }

  async claim(): Promise<void> {
    if (this.part !== 'none') return;
    this.part = 'wanted';
    const claim = await this.owners.ownership.claim(DEVICE, new AbortController().signal)();
    if (E.isLeft(claim)) this.failures.push(claim.left);
    this.part = E.isRight(claim) ? 'attempt' : 'none';
  }

  /** Its attempt is over: there is only one link to the device. */
  link(): void {
    if (this.part !== 'attempt') return;
    if (this.broker.linked !== undefined) this.release();
    else {
      this.broker.linked = this;
      this.part = 'session';
      this.owners.linkChanged(DEVICE);
    }
  }

  /** The link is lost; it seeks the device again. */
  unlink(): void {
    if (this.broker.linked !== this) return;
    this.broker.linked = undefined;
    this.owners.linkChanged(DEVICE);
  }

  release(): void {
    if (!this.holds) return;
    this.unlink();
    this.part = 'none';
    this.owners.ownership.release(DEVICE);
  }

  private vanish(): void {
    this.broker.members.delete(this);
    this.inbox.length = 0;
    this.outbox.length = 0;
    this.broker.wills.push(this.status('offline'));
  }

  private status(status: 'online' | 'offline'): Said {
    return {
      topic: this.topics.server,
      payload: Buffer.from(JSON.stringify({ status, ...this.self, version: '0' })),
      retain: true,
    };
  }
}
