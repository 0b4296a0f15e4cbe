/** Brokers, and a client that keeps the messages that it receives. */
import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'mocha';
import { connectAsync, type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { LOOPBACK, Mosquitto } from '../../features/support/loopback.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import { openFleet } from '../../src/mqtt/open-fleet.js';
import { PACE_MS } from '../../src/mqtt/paced.js';
import type { FleetOptions } from '../../src/mqtt/index.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { newFolder } from './folders.js';
import { silent } from './log.js';
import { requireProgram } from './require.js';

export { startAedes, type EmbeddedBroker } from '../../features/support/loopback.js';

/** The configuration of a broker without users. */
export const OPEN_TO_ALL: readonly string[] = ['allow_anonymous true'];

/** Mosquitto, with `lines` of configuration; the test is skipped without it. */
export const startMosquitto = async (test: Context, lines: readonly string[] = OPEN_TO_ALL) => {
  requireProgram(test, 'mosquitto');
  const broker = await Mosquitto.start(newFolder(), lines);
  return Object.assign(broker, { close: () => broker.kill() });
};

export interface ReceivedMessage {
  readonly topic: string;
  /** The value in the payload; undefined for an empty one. */
  readonly value: unknown;
  readonly packet: IPublishPacket;
}

/** The value of a JSON payload; otherwise its text. */
const valueOf = (payload: Buffer): unknown => {
  const text = payload.toString();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

type Check = (value: unknown) => boolean;

export const is =
  (expected: unknown): Check =>
  (value) =>
    value === expected;

/** Whether a value is an object with these fields. */
export const has =
  (fields: Readonly<Record<string, unknown>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, expected]) => isDeepStrictEqual(Reflect.get(value, name), expected));

/** A subscribed client that keeps messages until a test reads them. */
export class Consumer {
  readonly heard: ReceivedMessage[] = [];
  private readonly arrivals = new Arrivals();

  private constructor(readonly client: MqttClient) {
    client.on('message', (topic, payload, packet) => {
      this.heard.push({ topic, value: valueOf(payload), packet });
      this.arrivals.notify();
    });
    client.on('error', () => undefined);
  }

  static async of(
    port: number,
    filter = '#',
    options: IClientOptions = {},
    qos: 0 | 1 = 1,
  ): Promise<Consumer> {
    const client = await connectAsync(`mqtt://${LOOPBACK}:${port}`, { reconnectPeriod: 20, ...options });
    const consumer = new Consumer(client);
    await client.subscribeAsync(filter, { qos });
    return consumer;
  }

  /** Takes the first message for which `check` is true, and drops all messages before it. */
  next(check: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    return this.arrivals.until(() => {
      const at = this.heard.findIndex(check);
      return at < 0 ? undefined : this.heard.splice(0, at + 1).at(-1);
    }, 'no matching message');
  }

  /** The value of the next message on a topic for whose value `check` is true. */
  async on(topic: string, check: Check = () => true): Promise<unknown> {
    return (await this.next((message) => message.topic === topic && check(message.value))).value;
  }

  /** Waits for a message of each kind, in any order: a broker promises no order between topics that are published with pauses. */
  async each(...kinds: readonly (readonly [topic: string, check?: Check])[]): Promise<void> {
    const missing = new Set(kinds);
    while (missing.size > 0) {
      const { topic, value } = await this.next(({ topic }) => kinds.some(([expected]) => expected === topic));
      for (const kind of missing) {
        const [expected, check = () => true] = kind;
        if (expected === topic && check(value)) missing.delete(kind);
      }
    }
  }

  say(topic: string, value: unknown, options: Parameters<MqttClient['publishAsync']>[2] = {}) {
    const payload = typeof value === 'string' ? value : JSON.stringify(value);
    return this.client.publishAsync(topic, payload, { qos: 1, ...options });
  }

  async close(): Promise<void> {
    await this.client.endAsync(true);
  }
}

/** The retained messages on topics, as a new subscriber gets them. */
export const retainedOn = async (port: number, ...topics: readonly string[]): Promise<readonly unknown[]> => {
  const subscriber = await Consumer.of(port);
  const values = new Map<string, unknown>();
  while (values.size < topics.length) {
    const { topic, value } = await subscriber.next(
      ({ topic, packet }) => packet.retain && topics.includes(topic),
    );
    values.set(topic, value);
  }
  await subscriber.close();
  return topics.map((topic) => values.get(topic));
};

interface TestFleetOptions extends Partial<FleetOptions> {
  readonly time?: TimeSource;
  readonly log?: typeof silent;
}

/** A time source on which the pause between two writes passes, even if `time` stands still. */
export const writingOn = (time: TimeSource): TimeSource => ({
  ...time,
  after: (ms, task) => (ms <= PACE_MS ? systemTime : time).after(ms, task),
});

/** A server called `one`, on the broker at a port. */
export const fleetOn = (
  port: number,
  kind: 'dice' | 'clock',
  { time = systemTime, log = silent, ...options }: TestFleetOptions = {},
) => {
  const metrics = openMetrics(kind);
  const fleet = openFleet(
    { url: new URL(`mqtt://${LOOPBACK}:${port}`), prefix: 'airbench', name: 'one', ...options },
    { kind, time: writingOn(time), random: () => 0, log, metrics },
  );
  return {
    ...{ fleet, metrics, close: fleet.close },
    /** The number of messages that may not have arrived. */
    dropped: async () => (await metrics.mqttDropped.get()).values[0]?.value ?? 0,
  };
};
export type TestFleet = ReturnType<typeof fleetOn>;
