/** Servers and their broker, in memory: every message waits until a test sends or receives it. */
import type { TimeSource } from '../../src/async/time.js';
import { topicsOf, type Topics } from '../../src/contract/topics.js';
import { object } from '../../src/codecs/index.js';
import { DeviceRecords } from '../../src/devices/records.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import type { openBroker, Broker, BrokerCallbacks, Message } from '../../src/mqtt/broker.js';
import type { Fleet, MemberDevice } from '../../src/mqtt/index.js';
import type { Peer } from '../../src/mqtt/messages.js';
import { openFleet } from '../../src/mqtt/open-fleet.js';
import { PACE_MS } from '../../src/mqtt/paced.js';
import { openMinuteLog } from '../../src/system/log.js';
import { Executor } from '../../src/operations/index.js';
import { NO_STORE } from '../../src/store/store.js';
import { NO_FACTS } from '../../src/store/system-clock.js';
import { silent } from './log.js';
import { manualTime } from './manual-time.js';

/** The time after which a server connects again that has given way to another one with its name, ms. */
export const TAKEN_MS = 30_000;

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
  self: { name, run: `${name}-1` },
  ...{ topics, time, log: silent, minuteLog: openMinuteLog(silent, time) },
  broker: {
    ...{ connected: true, publish },
    start: () => undefined,
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    giveWay: () => undefined,
    close: () => Promise.resolve(),
  },
});

/** Whether a topic matches a filter with `+`. */
const matches = (filter: string, topic: string): boolean => {
  const [levels, parts] = [filter.split('/'), topic.split('/')];
  return levels.length === parts.length && levels.every((level, at) => level === '+' || level === parts[at]);
};

export class FakeBroker {
  readonly metrics = openMetrics('dice');
  readonly retained = new Map<string, Publication>();
  /** The connected servers. */
  readonly members = new Set<FakeMember>();
  /** Last wills that the broker has yet to publish. */
  readonly wills: Publication[] = [];

  constructor(readonly time = manualTime()) {}

  publish(publication: Publication): void {
    const { topic, payload } = publication;
    if (publication.retain && payload.length === 0) this.retained.delete(topic);
    else if (publication.retain) this.retained.set(topic, publication);
    for (const member of this.members)
      if (member.hears(topic)) member.inbox.push({ ...publication, retained: false });
  }

  retainedOn(topic: string): string | undefined {
    return this.retained.get(topic)?.payload.toString();
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
  readonly heard: DeviceRecords<object>;
  readonly topics: Topics;
  readonly fleet: Fleet;
  /** Its session of the device; undefined: it has none. */
  session: { isLinked: boolean } | undefined;
  private readonly subscriptions = new Set<string>();
  private callbacks: BrokerCallbacks | undefined;
  /** Whether the broker has acknowledged the subscriptions of this connection. */
  private isOpen = false;
  private will: Publication | undefined;

  constructor(
    readonly broker: FakeBroker,
    readonly name: string,
    readonly run: string,
    homeAssistant = NO_HOME_ASSISTANT,
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
    this.topics = topicsOf('airbench', 'dice', name);
    this.fleet = openFleet(
      {
        url: new URL('mqtt://broker.example'),
        ...{ prefix: 'airbench', name, homeAssistant: isAnnounced ? 'homeassistant' : undefined },
      },
      { ...{ kind: 'dice', ...context, random: () => 0, run, connect: this.connection } },
    );
    this.heard = heardDevices(name, time);
    const device = (): MemberDevice | undefined =>
      this.session && {
        address: DEVICE,
        ...{ isAvailable: this.session.isLinked, isLinked: this.session.isLinked },
        state: () => ({ server: this.run }),
        ...{ identity: {}, homeAssistant },
      };
    this.fleet.join({
      executor: new Executor({ ...context, requestsPerMinute: 0 }),
      operations: {},
      device: (address) => (address === DEVICE ? device() : undefined),
      devices: () => [device()].filter((each) => each !== undefined),
      heard: this.heard,
    });
  }

  readonly hears = (topic: string): boolean =>
    [...this.subscriptions].some((filter) => matches(filter, topic));

  get isOnline(): boolean {
    return this.broker.members.has(this);
  }

  /** Connects to the broker, which ends the connection of another client with the same name. */
  connect(): void {
    if (this.isOnline || this.callbacks === undefined) return;
    for (const member of this.broker.members) if (member.name === this.name) member.cut();
    const { topic, payload } = this.callbacks.will();
    this.will = { topic, payload: Buffer.from(payload), retain: true };
    this.subscriptions.clear();
    this.broker.members.add(this);
    const filters = this.callbacks.subscriptions();
    const opened = (): void => {
      this.isOpen = true;
      this.callbacks?.opened();
    };
    this.outbox.push({
      arrived: () => {
        this.subscribe(filters);
        this.inbox.push({ arrived: opened });
      },
    });
  }

  /** Its connection is lost; the broker notices it later. */
  cut(): void {
    if (!this.isOnline) return;
    const { isOpen } = this;
    this.vanish();
    if (isOpen) this.callbacks?.lost();
  }

  /** Ends like a killed server. */
  die(): void {
    if (this.isOnline) this.vanish();
    this.callbacks = undefined;
    void this.fleet.close();
  }

  /** Ends in order: it publishes that it is offline, without a last will. */
  stop(): void {
    this.become(undefined);
    void this.fleet.close();
    this.callbacks = undefined;
  }

  send(): void {
    const publication = this.outbox.shift();
    if (publication === undefined) return;
    if ('arrived' in publication) publication.arrived();
    else this.broker.publish(publication);
  }

  receive(): void {
    const message = this.inbox.shift();
    if (message === undefined) return;
    if ('arrived' in message) message.arrived();
    else this.callbacks?.received(message);
  }

  /** The session of the device begins, changes or ends. */
  become(session: FakeMember['session']): void {
    this.session = session;
    this.fleet.changed(DEVICE);
  }

  /** Whether a topic is below the name of this server, or one of those that servers share: labels and Home Assistant's. */
  private mayWrite(topic: string): boolean {
    const { server } = this.topics;
    return (
      `${topic}/`.startsWith(`${server}/`) ||
      /^airbench\/dice\/devices\/[^/]+\/label$|^homeassistant\//.test(topic)
    );
  }

  private subscribe(filters: readonly string[]): void {
    for (const filter of filters) {
      this.subscriptions.add(filter);
      for (const [topic, publication] of this.broker.retained)
        if (matches(filter, topic)) this.inbox.push({ ...publication, retained: true });
    }
  }

  private vanish(): void {
    this.broker.members.delete(this);
    this.isOpen = false;
    this.inbox.length = 0;
    this.outbox.length = 0;
    if (this.will !== undefined) this.broker.wills.push(this.will);
  }

  private readonly connection: typeof openBroker = () => {
    const isOpen = (): boolean => this.isOpen;
    const send = (arrived: () => void): void => {
      if (isOpen()) this.outbox.push({ arrived });
    };
    return {
      get connected() {
        return isOpen();
      },
      start: (callbacks) => {
        this.callbacks = callbacks;
      },
      publish: (topic, payload, { retain = false, settled } = {}) => {
        if (!this.isOpen) return;
        if (!this.mayWrite(topic)) throw new Error(`the server ${this.name} has published on ${topic}`);
        this.outbox.push({ topic, payload: Buffer.from(payload), retain });
        if (settled !== undefined) send(() => this.inbox.push({ arrived: settled }));
      },
      subscribe: (filters, { acknowledged } = {}) =>
        send(() => {
          this.subscribe(filters);
          if (acknowledged !== undefined) this.inbox.push({ arrived: acknowledged });
        }),
      unsubscribe: (filter) => send(() => this.subscriptions.delete(filter)),
      giveWay: () => {
        this.cut();
        this.broker.time.after(TAKEN_MS, () => this.connect());
      },
      close: () => {
        while (this.isOpen && this.outbox.length > 0) this.send();
        this.broker.members.delete(this);
        this.isOpen = false;
        this.inbox.length = 0;
        return Promise.resolve();
      },
    };
  };
}

/** The number of random histories in a test run: `fewest`, or `AIRBENCH_HISTORIES`. */
export const historiesOf = (fewest: number): number => Number(process.env['AIRBENCH_HISTORIES'] ?? fewest);
