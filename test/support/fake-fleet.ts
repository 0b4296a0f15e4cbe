/** Servers of a fleet and their broker, in memory: every message waits until a test sends or receives it. */
import * as E from 'fp-ts/lib/Either.js';
import type { TimeSource } from '../../src/async/time.js';
import { topicsOf, type Topics } from '../../src/contract/topics.js';
import { object } from '../../src/codecs/index.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { DeviceRecords } from '../../src/devices/records.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import type { openBroker, Broker, BrokerCallbacks, Message } from '../../src/mqtt/broker.js';
import { readClaim, Servers, type Peer } from '../../src/mqtt/claims.js';
import type { Fleet, MemberDevice } from '../../src/mqtt/index.js';
import { openFleet } from '../../src/mqtt/open-fleet.js';
import { PACE_MS } from '../../src/mqtt/paced.js';
import { openMinuteLog } from '../../src/system/log.js';
import { Executor } from '../../src/operations/index.js';
import { NO_STORE } from '../../src/store/store.js';
import { NO_FACTS } from '../../src/store/system-clock.js';
import { silent } from './log.js';
import { manualTime } from './manual-time.js';

export const DEVICE = 'D1:CE:00:00:00:01';

export interface Publication extends Omit<Message, 'retained'> {
  readonly retain: boolean;
}

export const NO_HOME_ASSISTANT: MemberDevice['homeAssistant'] = {
  dependencies: [],
  describe: () => {
    throw new Error('there is no Home Assistant');
  },
};

/** The devices of a server that keeps no history. */
export const heardDevices = (server: string, time: TimeSource): DeviceRecords<object> =>
  new DeviceRecords({
    ...{ store: NO_STORE, time, log: silent, clockFacts: NO_FACTS, server },
    ...{ details: object({}), unknown: {} },
  });

/** A message to the broker, or a task on arrival. */
type Sent = Publication | { readonly arrived: () => void };
/** A message from the broker, or a task on arrival. */
type Received = Message | { readonly arrived: () => void };

interface PeerOptions extends Pick<Broker, 'publish'> {
  readonly time?: TimeSource;
}

/** A connected server, whose messages go to `publish`. */
export const fakePeer = (
  topics: Topics,
  name: string,
  { time = manualTime(), publish }: PeerOptions,
): Peer => ({
  self: { name, instance: `${name}-1` },
  ...{ topics, time, log: silent, minuteLog: openMinuteLog(silent, time) },
  broker: {
    ...{ connected: true, publish },
    start: () => undefined,
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    close: () => Promise.resolve(),
  },
});

const OF_ALL = topicsOf('airbench', 'dice', '');

export class FakeBroker {
  readonly metrics = openMetrics('dice');
  readonly retained = new Map<string, Publication>();
  /** The connected servers. */
  readonly members = new Set<FakeMember>();
  /** Last wills that the broker has yet to publish. */
  readonly wills: Publication[] = [];
  /** The server that has the link to the device: there is only one. */
  linked: FakeMember | undefined;

  /** `forward`: takes each message for the other brokers of a cluster. */
  constructor(
    readonly time = manualTime(),
    private readonly forward: (publication: Publication) => void = () => undefined,
  ) {}

  publish(publication: Publication, sender?: FakeMember): void {
    this.deliver(publication, sender);
    this.forward(publication);
  }

  deliver(publication: Publication, sender?: FakeMember): void {
    const { topic, payload } = publication;
    if (publication.retain && payload.length === 0) this.retained.delete(topic);
    else if (publication.retain) this.retained.set(topic, publication);
    for (const member of this.members)
      if (member.hears(topic, member === sender)) member.inbox.push({ ...publication, retained: false });
  }

  retainedOn(topic: string): string | undefined {
    return this.retained.get(topic)?.payload.toString();
  }

  /** The device on the broker, as an observer sees it. */
  get retainedDevice() {
    const servers = new Servers();
    for (const { topic, payload } of this.retained.values()) {
      const route = OF_ALL.routeOf(topic);
      if (route?.to === 'status') servers.receive(route.server, payload);
    }
    const claim = readClaim(this.retained.get(OF_ALL.owner(DEVICE))?.payload ?? Buffer.alloc(0));
    const isOwned = claim?.state === 'owned' && servers.isValid(claim);
    return {
      owner: isOwned ? claim.name : undefined,
      epoch: isOwned ? claim.epoch : undefined,
      state: JSON.parse(this.retainedOn(OF_ALL.state(DEVICE)) ?? 'null') as unknown,
      availability: this.retainedOn(OF_ALL.availability(DEVICE)) ?? 'offline',
    };
  }

  statusOf(name: string): string | undefined {
    return this.retainedOn(OF_ALL.serverOf(name));
  }

  publishWill(): void {
    const will = this.wills.shift();
    if (will !== undefined) this.publish(will);
  }
}

/** A server; `run`: the name of the time from its start to its end. */
export class FakeMember {
  readonly inbox: Received[] = [];
  readonly outbox: Sent[] = [];
  /** The server's use of the device: `wanted` before its claim is answered. */
  part: 'none' | 'wanted' | 'attempt' | 'session' = 'none';
  readonly failures: DeviceError[] = [];
  readonly heard: DeviceRecords<object>;
  protected readonly fleet: Fleet;
  private readonly subscriptions = new Set<string>();
  /** Topics subscribed to for messages of other members only. */
  private readonly ofOthers = new Set<string>();
  private callbacks: BrokerCallbacks | undefined;
  private will: Publication | undefined;
  private connections = 0;

  constructor(
    protected broker: FakeBroker,
    readonly name: string,
    readonly run: string,
    private readonly homeAssistant = NO_HOME_ASSISTANT,
  ) {
    const time: TimeSource = {
      ...broker.time,
      after: (ms, task) => {
        if (ms > PACE_MS) return broker.time.after(ms, task);
        const immediate = setImmediate(task);
        return () => clearImmediate(immediate);
      },
    };
    const context = { log: silent, metrics: broker.metrics, time };
    const isAnnounced = homeAssistant !== NO_HOME_ASSISTANT;
    this.fleet = openFleet(
      {
        url: new URL('mqtt://broker.example'),
        ...{ prefix: 'airbench', name, homeAssistant: isAnnounced ? 'homeassistant' : undefined },
      },
      {
        ...{ kind: 'dice', ...context, random: () => 0 },
        newInstance: () => `${this.run}-${this.connections}`,
        connect: this.connection,
      },
    );
    this.fleet.ownership.onTaken(() => this.taken());
    this.heard = heardDevices(name, time);
    const device = () => (this.part === 'session' ? this.device() : undefined);
    this.fleet.join({
      executor: new Executor({ ...context, requestsPerMinute: 0 }),
      operations: {},
      device: (address) => (address === DEVICE ? device() : undefined),
      devices: () => [device()].filter((session) => session !== undefined),
      heard: this.heard,
    });
  }

  /** `isOwn`: the server has published the message itself. */
  readonly hears = (topic: string, isOwn: boolean): boolean =>
    this.subscriptions.has(topic) || (!isOwn && this.ofOthers.has(topic));

  /** Whether the server may use the device. */
  get holds(): boolean {
    return this.part === 'attempt' || this.part === 'session';
  }

  /** The owner of the device, as the server knows. */
  get owner(): string | undefined {
    const free = this.fleet.ownership.check(DEVICE);
    if (E.isLeft(free) && free.left._tag === 'OwnedElsewhere') return free.left.owner;
    return this.holds ? this.name : undefined;
  }

  /** Whether the server's radio has a link to the device. */
  protected get isLinked(): boolean {
    return this.broker.linked === this;
  }

  get isOnline(): boolean {
    return this.broker.members.has(this);
  }

  connect(): void {
    if (this.isOnline || this.callbacks === undefined) return;
    this.connections += 1;
    const { topic, payload } = this.callbacks.will();
    this.will = { topic, payload: Buffer.from(payload), retain: true };
    for (const topics of [this.subscriptions, this.ofOthers]) topics.clear();
    this.broker.members.add(this);
    this.subscribe(this.callbacks.subscriptions());
    this.callbacks.opened();
  }

  /** Its connection is lost; the broker notices it later. */
  cut(): void {
    if (!this.isOnline) return;
    this.vanish();
    this.callbacks?.lost();
  }

  /** Ends like a killed server. */
  die(): void {
    if (this.broker.linked === this) this.broker.linked = undefined;
    if (this.isOnline) this.vanish();
    this.callbacks = undefined;
    void this.fleet.close();
  }

  /** Ends in order: it publishes that it is offline, without a last will. */
  stop(): void {
    this.release();
    void this.fleet.close();
    this.callbacks = undefined;
  }

  send(): void {
    const publication = this.outbox.shift();
    if (publication === undefined) return;
    if ('arrived' in publication) publication.arrived();
    else this.broker.publish(publication, this);
  }

  receive(): void {
    const message = this.inbox.shift();
    if (message === undefined) return;
    if ('arrived' in message) message.arrived();
    else this.callbacks?.received(message);
  }

  /** A device advertises. */
  hear(address = DEVICE): void {
    this.fleet.ownership.check(address);
  }

  async claim(): Promise<void> {
    if (this.part !== 'none') return;
    this.part = 'wanted';
    const claim = await this.fleet.ownership.claim(DEVICE, new AbortController().signal)();
    if (E.isLeft(claim)) this.failures.push(claim.left);
    this.part = E.isRight(claim) ? 'attempt' : 'none';
  }

  /** Its attempt is over: there is only one link to the device. */
  link(): void {
    if (this.part !== 'attempt') return;
    if (this.broker.linked !== undefined) {
      this.release();
      return;
    }
    this.broker.linked = this;
    this.become('session');
  }

  /** The link is lost; it seeks the device again. */
  unlink(): void {
    if (this.broker.linked !== this) return;
    this.broker.linked = undefined;
    this.fleet.changed(DEVICE);
  }

  release(): void {
    if (!this.holds) return;
    if (this.broker.linked === this) this.broker.linked = undefined;
    this.become('none');
    this.fleet.ownership.release(DEVICE);
  }

  /** Another server has got the device. */
  protected taken(): void {
    this.become('none');
  }

  protected become(part: FakeMember['part']): void {
    this.part = part;
    this.fleet.changed(DEVICE);
  }

  private device() {
    return {
      address: DEVICE,
      isConnected: this.isLinked,
      state: () => ({ server: this.run }),
      identity: {},
      homeAssistant: this.homeAssistant,
    };
  }

  private subscribe(topics: readonly string[], subscriptions = this.subscriptions): void {
    for (const topic of topics) {
      subscriptions.add(topic);
      const publication = this.broker.retained.get(topic);
      if (publication !== undefined) this.inbox.push({ ...publication, retained: true });
    }
  }

  private vanish(): void {
    this.broker.members.delete(this);
    this.inbox.length = 0;
    this.outbox.length = 0;
    if (this.will !== undefined) this.broker.wills.push(this.will);
  }

  private readonly connection: typeof openBroker = () => {
    const isOnline = (): boolean => this.isOnline;
    const send = (arrived: () => void): void => {
      if (isOnline()) this.outbox.push({ arrived });
    };
    return {
      get connected() {
        return isOnline();
      },
      start: (callbacks) => {
        this.callbacks = callbacks;
      },
      publish: (topic, payload, { retain = false, settled } = {}) => {
        if (!this.isOnline) return;
        this.outbox.push({ topic, payload: Buffer.from(payload), retain });
        if (settled !== undefined) send(() => this.inbox.push({ arrived: settled }));
      },
      subscribe: (filters, { ofOthers = false, acknowledged } = {}) =>
        send(() => {
          this.subscribe(filters, ofOthers ? this.ofOthers : this.subscriptions);
          if (acknowledged !== undefined) this.inbox.push({ arrived: acknowledged });
        }),
      unsubscribe: (filter) =>
        send(() => {
          for (const topics of [this.subscriptions, this.ofOthers]) topics.delete(filter);
        }),
      close: () => {
        while (this.isOnline && this.outbox.length > 0) this.send();
        this.broker.members.delete(this);
        this.inbox.length = 0;
        return Promise.resolve();
      },
    };
  };
}

/** The number of random histories in a test run: `fewest`, or `AIRBENCH_HISTORIES`. */
export const historiesOf = (fewest: number): number => Number(process.env['AIRBENCH_HISTORIES'] ?? fewest);
