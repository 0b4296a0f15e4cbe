/** The connection to a broker, made again whenever it was lost. */
import { createRequire } from 'node:module';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as Mqtt from 'mqtt';
import type { IClientOptions, IClientPublishOptions, MqttClient } from 'mqtt';
import type { Logger } from 'pino';
import { requireQuietly } from '../system/packages.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import type { MinuteLog } from '../system/log.js';
import { limitPackets } from './packet-limit.js';
import { pipeInTurns } from './turns.js';
import { openOutbox, type Outbox, type Outgoing } from './outbox.js';
import { codeOf, messageOf } from '../system/system-error.js';

const require = createRequire(import.meta.url);
const { connect } = requireQuietly(require.resolve('mqtt')) as typeof Mqtt;

/** MQTT.js pipes a stream into its parser as soon as this has built it. */
interface ClientInternals {
  streamBuilder: (client: MqttClient) => MqttClient['stream'];
}

export interface BrokerOptions {
  /** `mqtt://` or `mqtts://`, with a user if need be, and a port. */
  readonly url: URL;
  readonly password?: string | undefined;
  /** PEM: of who signed the broker's certificate; and who this server is. */
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** It was published before this server subscribed. */
  readonly retained: boolean;
  /** Where an answer is wanted, and what it must bear. */
  readonly reply?: { readonly topic: string; readonly correlation: Buffer | undefined };
}

export type PublishOptions = Partial<Omit<Outgoing, 'topic' | 'payload'>>;

export interface SubscribeOptions {
  /**
   * Only what others publish from now on (No Local and Retain Handling: MQTT 5.0, 3.8.3.1); nothing of a broker that knows only MQTT
   * 3.1.1, which cannot tell that apart.
   */
  readonly ofOthers?: boolean;
  readonly acknowledged?: () => void;
}

export interface Broker {
  readonly connected: boolean;
  /**
   * Sent once, and acknowledged by the broker. Without a connection it is dropped, and counted unless it is retained: who
   * published that publishes it again at the next connection.
   */
  readonly publish: (topic: string, payload: string, options?: PublishOptions) => void;
  /** Listens to more topics on this connection; nothing happens without one. */
  readonly subscribe: (filters: readonly string[], options?: SubscribeOptions) => void;
  readonly unsubscribe: (filter: string) => void;
  /** Publishes what was published, then ends the connection in order; the will is not sent. Nothing else is sent or received. */
  readonly close: Task<void>;
}

export interface BrokerCallbacks {
  /** Filters of topics; called for each connection. */
  readonly subscriptions: () => readonly string[];
  /** The message that the broker publishes, retained, when this server is lost; called for each connection. */
  readonly will: () => { readonly topic: string; readonly payload: string };
  /** Called at each connection, once all is subscribed to. */
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
  /** A message that nobody gets. */
  readonly dropped: () => void;
  readonly time: TimeSource;
  /** 0 up to 1; spreads retries. */
  readonly random: () => number;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

/** Messages that may be under way where the broker does not say: MQTT 3.1.1 has no word for it. */
const WINDOW = 1_000;
/** Bytes of the largest message that a broker may send. */
const MOST_RECEIVED = 1024 * 1024;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** How long a broker may take to accept a connection, and then the subscriptions. */
export const CONNECT_MS = 10_000;
/** How long the end waits for what is under way. */
export const GOODBYE_MS = 2_000;
const KEEPALIVE_SECS = 15;

/** A broker that knows only MQTT 3.1.1 says so with the first, one that knows the form of MQTT 5 with the second. */
const WRONG_VERSION = [1, 0x84];

const VERSIONS = { new: 5, old: 4 } as const;
type Version = (typeof VERSIONS)[keyof typeof VERSIONS];

/** The client's credentials for a broker, and the authority for the broker's certificate. */
export const credentialsOf = ({ url, password, ca, cert, key }: BrokerOptions): IClientOptions => ({
  ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
  ...(password !== undefined && { password }),
  ...(ca !== undefined && { ca }),
  ...(cert !== undefined && { cert }),
  ...(key !== undefined && { key }),
});

/** The broker's URL without the user, whom MQTT.js would read from it too. */
export const addressOf = ({ url }: BrokerOptions): string => {
  const broker = new URL(url);
  broker.username = '';
  return broker.href;
};

const propertiesOf = ({
  correlation,
  epoch,
}: Pick<Outgoing, 'correlation' | 'epoch'>): Pick<IClientPublishOptions, 'properties'> =>
  correlation === undefined && epoch === undefined
    ? {}
    : {
        properties: {
          ...(correlation !== undefined && { correlationData: correlation }),
          ...(epoch !== undefined && { userProperties: { epoch: String(epoch) } }),
        },
      };

export const openBroker = (
  options: BrokerOptions,
  { subscriptions, will, opened, lost, received, dropped, time, random, log, minuteLog }: BrokerCallbacks,
): Broker => {
  const { url } = options;
  let client: MqttClient | undefined;
  /** Undefined unless connected, and once closed. */
  let outbox: Outbox | undefined;
  let isClosed = false;
  let pause = FIRST_PAUSE_MS;
  let cancelRetry: Cancel = () => undefined;
  let version: Version = VERSIONS.new;
  let lastWarning = '';

  const optionsOf = (lastWill: { readonly topic: string; readonly payload: string }): IClientOptions => ({
    protocolVersion: version,
    ...(version === VERSIONS.new && { properties: { maximumPacketSize: MOST_RECEIVED } }),
    ...credentialsOf(options),
    will: { topic: lastWill.topic, payload: Buffer.from(lastWill.payload), qos: 1, retain: true },
    clean: true,
    keepalive: KEEPALIVE_SECS,
    connectTimeout: CONNECT_MS,
    // Each connection has a client of its own: what was not acknowledged on one is never sent again on another.
    reconnectPeriod: 0,
    manualConnect: true,
    resubscribe: false,
    // Neither a timer nor a line for `debug` for each message.
    reschedulePings: false,
    log: () => undefined,
  });

  /** Not again at each retry. */
  const warnOnce = (message: string): void => {
    if (message !== lastWarning) log.warn(message);
    lastWarning = message;
  };

  const begin = (): void => {
    const own = connect(addressOf(options), optionsOf(will()));
    const internals = own as unknown as ClientInternals;
    const build = internals.streamBuilder;
    internals.streamBuilder = (built) => pipeInTurns(build(built), time);
    own.connect();
    client = own;
    limitPackets(own.stream, MOST_RECEIVED, (bytes) =>
      refuse(
        `the MQTT broker ${url.host} sends a packet of ${bytes} bytes; this server takes ${MOST_RECEIVED}`,
      ),
    );
    let window = WINDOW;
    let largest = Infinity;
    let isUnwanted = false;
    let isRefused = false;
    let endReason = `the MQTT broker ${url.host} closes the connection without a reason`;
    let cancelSubscribing: Cancel = () => undefined;

    const refuse = (reason: string): void => {
      endReason = reason;
      isRefused = true;
      own.end(true);
    };

    own.once('connect', ({ properties }) => {
      window = Math.min(properties?.receiveMaximum ?? window, window);
      largest = properties?.maximumPacketSize ?? largest;
      cancelSubscribing = time.after(CONNECT_MS, () =>
        refuse(`the MQTT broker ${url.host} does not answer what this server subscribes to`),
      );
      own.subscribe([...subscriptions()], { qos: 1 }, (error) => {
        cancelSubscribing();
        if (isClosed || isRefused) return;
        if (error !== null) {
          refuse(`the MQTT broker ${url.host} refuses what this server subscribes to: ${messageOf(error)}`);
          return;
        }
        outbox = openOutbox({
          window,
          largest,
          send: ({ topic, payload, retain, ...given }, acknowledged) => {
            const properties = own.options.protocolVersion === VERSIONS.new ? propertiesOf(given) : {};
            own.publish(topic, payload, { qos: 1, retain, ...properties }, acknowledged);
          },
          dropped,
          refused: ({ topic }, failure) =>
            minuteLog.write(
              'warn',
              'refused',
              `the MQTT broker ${url.host} does not take ${topic}: ${messageOf(failure)}`,
            ),
          stalled: () => refuse(`the MQTT broker ${url.host} does not acknowledge what it is sent`),
          time,
        });
        pause = FIRST_PAUSE_MS;
        lastWarning = '';
        endReason = `the connection to the MQTT broker ${url.host} is lost`;
        log.info(`connected to the MQTT broker ${url.host}`);
        opened();
      });
    });
    own.on('message', (topic, payload, { retain, properties }) => {
      if (isClosed) return;
      // Of a property that comes twice, MQTT.js makes an array.
      const { responseTopic, correlationData } = properties ?? {};
      const correlation = Buffer.isBuffer(correlationData) ? correlationData : undefined;
      received({
        topic,
        payload,
        retained: retain,
        ...(typeof responseTopic === 'string' && { reply: { topic: responseTopic, correlation } }),
      });
    });
    own.on('error', (error) => {
      if (version === VERSIONS.new && WRONG_VERSION.includes(Number(codeOf(error)))) isUnwanted = true;
      else endReason = `the MQTT broker ${url.host} cannot be used: ${messageOf(error)}`;
    });
    own.once('close', () => {
      const was = outbox;
      outbox = undefined;
      was?.end();
      cancelSubscribing();
      own.end(true);
      if (was !== undefined) lost();
      if (isClosed) return;
      if (isUnwanted) {
        version = VERSIONS.old;
        begin();
        return;
      }
      warnOnce(endReason);
      // Another one may be there the next time.
      version = VERSIONS.new;
      cancelRetry = time.after(pause * (0.5 + random() / 2), begin);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  };
  begin();

  return {
    get connected() {
      return outbox !== undefined;
    },
    publish: (topic, payload, { retain = false, isAnswer = false, ...given } = {}) => {
      if (outbox !== undefined) outbox.put({ topic, payload, retain, isAnswer, ...given });
      else if (!retain) dropped();
    },
    subscribe: (filters, { ofOthers = false, acknowledged = () => undefined } = {}) => {
      const own = client;
      if (outbox === undefined || own === undefined || filters.length === 0) return;
      if (ofOthers && own.options.protocolVersion !== VERSIONS.new) return;
      const options = { qos: 1, ...(ofOthers && { nl: true, rh: 2 }) } as const;
      own.subscribe([...filters], options, (error, _granted, answer) => {
        // If the connection is gone, so is the subscription.
        if (outbox === undefined || own !== client || answer === undefined) return;
        if (error === null) acknowledged();
        else
          minuteLog.write(
            'warn',
            'subscription',
            `the MQTT broker ${url.host} refuses a subscription: ${messageOf(error)}`,
          );
      });
    },
    unsubscribe: (filter) => {
      if (outbox !== undefined) client?.unsubscribe(filter, () => undefined);
    },
    close: async () => {
      isClosed = true;
      cancelRetry();
      const [own, last] = [client, outbox];
      outbox = undefined;
      if (own !== undefined && last !== undefined) {
        await wait<undefined>({ time, ms: GOODBYE_MS }, (settle) => {
          own.once('close', () => settle(undefined));
          last.onceEmpty(() => own.end());
          return () => last.onceEmpty(() => undefined);
        })();
      }
      last?.end();
      // An end that waits for the broker is not cut short by another.
      own?.stream.destroy();
      own?.end(true);
    },
  };
};
