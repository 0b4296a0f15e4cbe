/** The connection to a broker, made again whenever it was lost. */
import type { Task } from 'fp-ts/lib/Task.js';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { Logger } from 'pino';
import type { Cancel, Clock } from '../time.js';

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

export interface PublishOptions {
  readonly retain?: boolean;
  readonly correlation?: Buffer | undefined;
}

export interface Broker {
  readonly connected: boolean;
  /** At least once while there is a connection; without one it is dropped, and counted. */
  readonly publish: (topic: string, payload: string | Buffer, options?: PublishOptions) => void;
  /** Publishes what was published, then ends the connection in order; the will is not sent. */
  readonly close: Task<void>;
}

export interface BrokerCallbacks {
  /** Filters of topics. */
  readonly subscriptions: readonly string[];
  /** What the broker publishes, retained, when this server is lost; called for each connection. */
  readonly will: () => { readonly topic: string; readonly payload: string };
  /** Called at each connection, once all is subscribed to. */
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
  /** A message that nobody gets. */
  readonly dropped: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Messages on their way to the broker; more are dropped. */
const MOST_UNACKNOWLEDGED = 10_000;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const CONNECT_MS = 10_000;
const KEEPALIVE_SECS = 15;

/** A broker that knows only MQTT 3.1.1 says so with one of these. */
const WRONG_VERSION = [1, 0x84];

const VERSIONS = { new: 5, old: 4 } as const;
type Version = (typeof VERSIONS)[keyof typeof VERSIONS];

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined);

export const openBroker = (
  { url, password, ca, cert, key }: BrokerOptions,
  { subscriptions, will, opened, lost, received, dropped, clock, log }: BrokerCallbacks,
): Broker => {
  let client: MqttClient | undefined;
  let isOpen = false;
  let isClosed = false;
  let unacknowledged = 0;
  let pause = FIRST_PAUSE_MS;
  let cancelRetry: Cancel = () => undefined;
  let version: Version = VERSIONS.new;
  let said = '';

  const optionsOf = (lastWill: { readonly topic: string; readonly payload: string }): IClientOptions => ({
    protocolVersion: version,
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(password === undefined ? {} : { password }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    will: { topic: lastWill.topic, payload: Buffer.from(lastWill.payload), qos: 1, retain: true },
    clean: true,
    keepalive: KEEPALIVE_SECS,
    connectTimeout: CONNECT_MS,
    // Each connection has a client of its own: what was not acknowledged on one is never sent again on another.
    reconnectPeriod: 0,
    resubscribe: false,
  });

  const sayOnce = (sentence: string): void => {
    if (sentence !== said) log.warn(sentence);
    said = sentence;
  };

  const retry = (): void => {
    if (isClosed) return;
    cancelRetry = clock.after(pause, begin);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };

  const begin = (): void => {
    const broker = new URL(url);
    broker.username = '';
    const own = connect(broker.href, optionsOf(will()));
    client = own;
    own.on('connect', () => {
      own.subscribe([...subscriptions], { qos: 1 }, (error) => {
        if (error !== null) {
          sayOnce(`the MQTT broker ${url.host} refuses what this server subscribes to: ${error.message}`);
          own.end(true);
          return;
        }
        if (own !== client || isClosed) return;
        isOpen = true;
        pause = FIRST_PAUSE_MS;
        said = '';
        log.info(`connected to the MQTT broker ${url.host}`);
        opened();
      });
    });
    own.on('message', (topic, payload, { retain, properties }) => {
      const { responseTopic, correlationData } = properties ?? {};
      received({
        topic,
        payload,
        retained: retain,
        ...(responseTopic === undefined
          ? {}
          : { reply: { topic: responseTopic, correlation: correlationData } }),
      });
    });
    own.on('error', (error) => {
      if (version === VERSIONS.new && WRONG_VERSION.includes(Number(codeOf(error)))) version = VERSIONS.old;
      else sayOnce(`the MQTT broker ${url.host} cannot be used: ${error.message}`);
    });
    own.once('close', () => {
      own.end(true);
      if (isOpen) {
        isOpen = false;
        sayOnce(`the connection to the MQTT broker ${url.host} is lost`);
        lost();
      }
      retry();
    });
  };
  begin();

  return {
    get connected() {
      return isOpen;
    },
    publish: (topic, payload, { retain = false, correlation } = {}) => {
      if (!isOpen || client === undefined || unacknowledged >= MOST_UNACKNOWLEDGED) {
        dropped();
        return;
      }
      unacknowledged += 1;
      const properties =
        correlation === undefined || version === VERSIONS.old
          ? {}
          : { properties: { correlationData: correlation } };
      client.publish(topic, payload, { qos: 1, retain, ...properties }, (error) => {
        unacknowledged -= 1;
        if (error) dropped();
      });
    },
    close: async () => {
      isClosed = true;
      cancelRetry();
      await client?.endAsync(!isOpen);
    },
  };
};
