/** The connection to a broker, and a new one whenever it is lost. */
import { createRequire } from 'node:module';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as Mqtt from 'mqtt';
import type { IClientOptions, IClientPublishOptions, IConnackPacket, IPublishPacket, MqttClient } from 'mqtt';
import type { Logger } from 'pino';
import { requireQuietly } from '../system/packages.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import type { MinuteLog } from '../system/log.js';
import { accessOf, addressOf, CONNECT_MS, type BrokerOptions } from './broker-options.js';
import { limitPackets, pipeInTurns } from './incoming.js';
import { Outbox, type Outgoing } from './outbox.js';
import { codeOf, messageOf } from '../system/system-error.js';

const require = createRequire(import.meta.url);
const { connect } = requireQuietly(require.resolve('mqtt')) as typeof Mqtt;

/** MQTT.js pipes a stream into its parser as soon as `streamBuilder` has built the stream. */
interface ClientInternals {
  streamBuilder: (client: MqttClient) => MqttClient['stream'];
}

export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** Published before this server subscribed. */
  readonly retained: boolean;
  /** The response topic and the correlation data of a request. */
  readonly reply?: { readonly topic: string; readonly correlation: Buffer | undefined };
}

export type PublishOptions = Partial<Omit<Outgoing, 'topic' | 'payload'>>;

export interface SubscribeOptions {
  readonly acknowledged?: () => void;
}

export interface Broker {
  readonly connected: boolean;
  /** Connects, and connects again whenever the connection is lost. */
  readonly start: (callbacks: BrokerCallbacks) => void;
  /**
   * Sends a message once. Without a connection it is dropped, and counted unless it is retained: its publisher publishes it again
   * at the next connection.
   */
  readonly publish: (topic: string, payload: string, options?: PublishOptions) => void;
  /** Listens to more topics on this connection; does nothing without one. */
  readonly subscribe: (filters: readonly string[], options?: SubscribeOptions) => void;
  readonly unsubscribe: (filter: string) => void;
  /** Ends the connection, since another client has the name of this one, and connects again after a long pause. */
  readonly giveWay: () => void;
  /** Sends the waiting messages, then ends the connection in order, without the will. Nothing else is sent or received. */
  readonly close: Task<void>;
}

export interface BrokerCallbacks {
  /** Filters of topics; called for each connection. */
  readonly subscriptions: () => readonly string[];
  /** The message that the broker publishes, retained, when it loses this server; called for each connection. */
  readonly will: () => Pick<Outgoing, 'topic' | 'payload'>;
  /** Called at each connection, once its subscriptions are acknowledged. */
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
}

export interface BrokerContext {
  /** Called for each message that reaches nobody. */
  readonly dropped: () => void;
  readonly time: TimeSource;
  /** 0 up to 1; spreads retries. */
  readonly random: () => number;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

/** Messages that may be under way if the broker names no limit, as with MQTT 3.1.1. */
const WINDOW = 1_000;
/** Bytes of the largest message that a broker may send. */
const MOST_RECEIVED = 1024 * 1024;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The time for sending the waiting messages at the end. */
export const GOODBYE_MS = 2_000;
const KEEPALIVE_SECS = 15;

/** The pauses after another client has taken the name of this one: the first, and the longest of doubled ones, ms. */
const FIRST_TAKEN_MS = 60_000;
const LONGEST_TAKEN_MS = 3_600_000;
/** The reason code of a broker for the end of a connection whose client id another one has taken (MQTT 5.0, 3.14.2.1). */
const SESSION_TAKEN_OVER = 0x8e;

/**
 * A broker of MQTT 3.1.1 alone refuses MQTT 5 with the first code, or with the second if it knows the packets of MQTT 5; others, such as
 * RabbitMQ before 3.13, end the connection.
 */
const WRONG_VERSION: readonly unknown[] = [1, 0x84, 'ECONNRESET', 'EPIPE'];

const VERSIONS = { new: 5, old: 4 } as const;
type Version = (typeof VERSIONS)[keyof typeof VERSIONS];

const propertiesOf = ({
  correlation,
}: Pick<Outgoing, 'correlation'>): Pick<IClientPublishOptions, 'properties'> =>
  correlation === undefined ? {} : { properties: { correlationData: correlation } };

const optionsOf = (
  options: BrokerOptions,
  version: Version,
  will: ReturnType<BrokerCallbacks['will']>,
): IClientOptions => ({
  protocolVersion: version,
  ...(version === VERSIONS.new && { properties: { maximumPacketSize: MOST_RECEIVED } }),
  ...accessOf(options),
  will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
  clean: true,
  keepalive: KEEPALIVE_SECS,
  connectTimeout: CONNECT_MS,
  // Each connection has its own client: messages without an acknowledgement are never sent again on another connection.
  reconnectPeriod: 0,
  manualConnect: true,
  resubscribe: false,
  // Neither a timer nor a line for `debug` for each message.
  reschedulePings: false,
  log: () => undefined,
});

const messageIn = (topic: string, payload: Buffer, { retain, properties }: IPublishPacket): Message => {
  // MQTT.js makes an array of a property that comes twice.
  const { responseTopic, correlationData } = properties ?? {};
  const correlation = Buffer.isBuffer(correlationData) ? correlationData : undefined;
  return {
    topic,
    payload,
    retained: retain,
    ...(typeof responseTopic === 'string' && { reply: { topic: responseTopic, correlation } }),
  };
};

type Limits = NonNullable<IConnackPacket['properties']>;

interface ConnectionCallbacks extends BrokerCallbacks {
  /** Called when the connection is lost or refused, unless `close` has ended it. */
  readonly ended: () => void;
}

/** One connection, from its first packet to its end. */
class Connection {
  /** Undefined until the subscriptions are acknowledged, and after the end. */
  outbox: Outbox | undefined;
  /** Whether another version should be tried: the broker has refused this one, or not answered before the end. */
  isWrongVersion: boolean;
  /** Whether another client has the name of this one. */
  isTaken = false;
  endReason: string;
  private readonly client: MqttClient;
  private readonly name: string;
  private isRefused = false;
  private isClosing = false;
  private cancelSubscribing: Cancel = () => undefined;

  constructor(
    private readonly options: BrokerOptions,
    private readonly version: Version,
    private readonly context: BrokerContext,
    private readonly callbacks: ConnectionCallbacks,
  ) {
    this.name = `the MQTT broker ${options.url.host}`;
    this.endReason = `${this.name} closes the connection without a reason`;
    this.isWrongVersion = version === VERSIONS.new;
    const client = connect(addressOf(options), optionsOf(options, version, callbacks.will()));
    const internals = client as unknown as ClientInternals;
    const build = internals.streamBuilder;
    internals.streamBuilder = (mqttClient) => pipeInTurns(build(mqttClient), context.time);
    client.connect();
    this.client = client;
    limitPackets(client.stream, MOST_RECEIVED, (bytes) =>
      this.refuse(`${this.name} sends a packet of ${bytes} bytes; this server takes ${MOST_RECEIVED}`),
    );
    client.once('connect', ({ properties }) => {
      this.isWrongVersion = false;
      this.subscribeAll(properties ?? {});
    });
    client.on('message', (topic, payload, packet) => {
      if (!this.isClosing) callbacks.received(messageIn(topic, payload, packet));
    });
    client.on('error', (error) => {
      if (!WRONG_VERSION.includes(codeOf(error))) this.isWrongVersion = false;
      this.endReason = `${this.name} cannot be used: ${messageOf(error)}`;
    });
    client.on('disconnect', ({ reasonCode }) => {
      if (reasonCode === SESSION_TAKEN_OVER) this.giveWay();
    });
    client.once('close', () => this.closed());
  }

  giveWay(): void {
    this.isTaken = true;
    this.refuse(
      `another server has the name "${this.options.client?.name}" on ${this.name}: start one of the two with another --name`,
    );
  }

  subscribe(filters: readonly string[], { acknowledged }: SubscribeOptions): void {
    if (this.outbox === undefined || filters.length === 0) return;
    this.client.subscribe([...filters], { qos: 1 }, (error, _granted, answer) => {
      // The end of a connection ends its subscriptions.
      if (this.outbox === undefined || answer === undefined) return;
      if (error === null) acknowledged?.();
      else this.warn('subscription', `refuses a subscription: ${messageOf(error)}`);
    });
  }

  unsubscribe(filter: string): void {
    if (this.outbox !== undefined) this.client.unsubscribe(filter, () => undefined);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    const { client, outbox } = this;
    this.outbox = undefined;
    if (outbox !== undefined) {
      await wait<undefined>({ time: this.context.time, ms: GOODBYE_MS }, (settle) => {
        client.once('close', () => settle(undefined));
        outbox.onceEmpty(() => client.end());
        return () => outbox.onceEmpty(() => undefined);
      })();
      outbox.end();
    }
    // MQTT.js does not cut short an end that waits for the broker.
    client.stream.destroy();
    client.end(true);
  }

  private warn(kind: string, problem: string): void {
    // After its end by this server, messages without an acknowledgement are no problem of the broker.
    if (!this.isRefused) this.context.minuteLog.write('warn', kind, `${this.name} ${problem}`);
  }

  /** Ends the connection because of a fault of the broker. */
  private refuse(reason: string): void {
    this.endReason = reason;
    this.isRefused = true;
    this.isWrongVersion = false;
    // The end of the client would settle the messages that the broker has not taken.
    this.outbox?.end();
    this.client.end(true);
  }

  private subscribeAll({ receiveMaximum = WINDOW, maximumPacketSize = Infinity }: Limits): void {
    this.cancelSubscribing = this.context.time.after(CONNECT_MS, () =>
      this.refuse(`${this.name} does not answer the subscriptions of this server`),
    );
    this.client.subscribe([...this.callbacks.subscriptions()], { qos: 1 }, (error) => {
      this.cancelSubscribing();
      if (this.isClosing || this.isRefused) return;
      if (error !== null)
        this.refuse(`${this.name} refuses the subscriptions of this server: ${messageOf(error)}`);
      else this.open(Math.min(receiveMaximum, WINDOW), maximumPacketSize);
    });
  }

  private open(window: number, largest: number): void {
    const { client, name } = this;
    const { dropped, log, time } = this.context;
    this.outbox = new Outbox({
      ...{ window, largest, dropped, time },
      send: ({ topic, payload, retain, ...message }, acknowledged) => {
        const properties = this.version === VERSIONS.new ? propertiesOf(message) : {};
        client.publish(topic, payload, { qos: 1, retain, ...properties }, acknowledged);
      },
      refused: ({ topic }, failure) => this.warn('refused', `does not take ${topic}: ${messageOf(failure)}`),
      stalled: () => this.refuse(`${name} does not acknowledge messages`),
    });
    this.endReason = `the connection to ${name} is lost`;
    log.info(`connected to ${name}`);
    this.callbacks.opened();
  }

  private closed(): void {
    const { outbox } = this;
    this.outbox = undefined;
    outbox?.end();
    this.cancelSubscribing();
    this.client.end(true);
    if (outbox !== undefined) this.callbacks.lost();
    if (!this.isClosing) this.callbacks.ended();
  }
}

class ReconnectingBroker implements Broker {
  private connection: Connection | undefined;
  private version: Version = VERSIONS.new;
  private pause = FIRST_PAUSE_MS;
  private takenPause = FIRST_TAKEN_MS;
  private openedAt = 0;
  private lastWarning = '';
  private cancelRetry: Cancel = () => undefined;

  constructor(
    private readonly options: BrokerOptions,
    private readonly context: BrokerContext,
  ) {}

  get connected(): boolean {
    return this.connection?.outbox !== undefined;
  }

  readonly start = (callbacks: BrokerCallbacks): void => {
    const connection = new Connection(this.options, this.version, this.context, {
      ...callbacks,
      opened: () => {
        this.pause = FIRST_PAUSE_MS;
        this.openedAt = this.context.time.now();
        this.lastWarning = '';
        callbacks.opened();
      },
      ended: () => this.retry(connection, () => this.start(callbacks)),
    });
    this.connection = connection;
  };

  readonly publish: Broker['publish'] = (topic, payload, options = {}) => {
    const { retain = false, isAnswer = false } = options;
    const outbox = this.connection?.outbox;
    if (outbox !== undefined) outbox.put({ ...options, topic, payload, retain, isAnswer });
    else if (!retain) this.context.dropped();
  };

  readonly subscribe: Broker['subscribe'] = (filters, options = {}) =>
    this.connection?.subscribe(filters, options);

  readonly unsubscribe = (filter: string): void => this.connection?.unsubscribe(filter);

  readonly giveWay = (): void => this.connection?.giveWay();

  readonly close = async (): Promise<void> => {
    this.cancelRetry();
    await this.connection?.close();
  };

  private retry({ isWrongVersion, isTaken, endReason }: Connection, start: () => void): void {
    if (isWrongVersion) {
      this.version = VERSIONS.old;
      start();
      return;
    }
    // Only the first of several retries for the same reason has a line in the log.
    if (endReason !== this.lastWarning) this.context.log.warn(endReason);
    this.lastWarning = endReason;
    // Another broker may answer the next time.
    this.version = VERSIONS.new;
    const { time, random } = this.context;
    const part = 0.5 + random() / 2;
    // A broker of MQTT 3.1.1 gives no reason: there each second end of servers with one name looks like a loss.
    if (time.now() - this.openedAt > this.takenPause) this.takenPause = FIRST_TAKEN_MS;
    if (isTaken) {
      // The other server may pause as well: one of the two comes first.
      this.cancelRetry = time.after(this.takenPause * part, start);
      this.takenPause = Math.min(this.takenPause * 2, LONGEST_TAKEN_MS);
      return;
    }
    this.cancelRetry = time.after(this.pause * part, start);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }
}

export const openBroker = (options: BrokerOptions, context: BrokerContext): Broker =>
  new ReconnectingBroker(options, context);
