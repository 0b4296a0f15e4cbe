/** A broker for one scenario: embedded, or with AIRBENCH_BROKER=mosquitto Mosquitto with TLS and a password. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IClientOptions, MqttClient } from 'mqtt';
import { codeOf } from '../../src/system/system-error.js';
import { Skip } from '../actors/skip.js';
import { Failure } from '../expect/expect.js';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { LOOPBACK, makeCertificate, Mosquitto, startAedes } from './loopback.js';

export interface Message {
  readonly topic: string;
  readonly payload: string;
}

export interface TestBroker {
  /** The URL, with the user if the broker has one. */
  readonly url: string;
  /** The flags of a server on this broker. */
  readonly flags: readonly string[];
  /** All published messages, in order. */
  readonly messages: readonly Message[];
  /** The last payload of each topic. */
  readonly latest: ReadonlyMap<string, string>;
  /** The retained message of a topic, as a new subscriber receives it. */
  readonly retained: (topic: string) => Promise<string>;
  readonly publish: (topic: string, payload: string) => Promise<void>;
  /** Calls `look` after each message; resolves when it returns a value. `condition`: a clause for the error. */
  readonly until: <A>(condition: string, look: () => A | undefined) => Promise<A>;
  readonly close: () => Promise<void>;
}

interface Running {
  readonly url: string;
  readonly flags: readonly string[];
  readonly client: IClientOptions;
  readonly close: () => Promise<void>;
}

const VARIABLE = 'AIRBENCH_BROKER';

const embedded = async (): Promise<Running> => {
  const { port, close } = await startAedes();
  return { url: `mqtt://${LOOPBACK}:${port}`, flags: [], client: { protocolVersion: 4 }, close };
};

const USER = 'airbench';
const PASSWORD = 'a password of features';

const mosquitto = async (): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-mosquitto-'));
  const { cert, key } = makeCertificate(folder, '127.0.0.1', ['-addext', 'subjectAltName=IP:127.0.0.1']);
  const [users, password] = [join(folder, 'users'), join(folder, 'password')];
  execFileSync('mosquitto_passwd', ['-b', '-c', users, USER, PASSWORD]);
  writeFileSync(password, `${PASSWORD}\n`);
  const settings = [`certfile ${cert}`, `keyfile ${key}`, `password_file ${users}`];
  const broker = await Mosquitto.start(folder, settings);
  return {
    url: `mqtts://${USER}@127.0.0.1:${broker.port}`,
    flags: ['--mqtt-ca', cert, '--mqtt-password-file', password],
    client: { protocolVersion: 5, username: USER, password: PASSWORD, ca: readFileSync(cert) },
    close: async () => {
      await broker.stop();
      rmSync(folder, { recursive: true });
    },
  };
};

const start = (): Promise<Running> => {
  switch (process.env[VARIABLE]) {
    case undefined:
    case 'embedded':
      return embedded();
    case 'mosquitto':
      return mosquitto();
    default:
      throw new Error(`${VARIABLE} must be embedded or mosquitto`);
  }
};

/** Throws a `Skip` if a package is missing: airbench needs neither of them for other scenarios. */
const withPackages = async <A>(work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Skip('needs an MQTT broker and a client: npm install --save-dev aedes mqtt');
  }
};

/** `patience`: how long a message may take, milliseconds. */
export const openBroker = async (patience: number): Promise<TestBroker> => {
  const { connectAsync } = await withPackages(() => import('mqtt'));
  const running = await withPackages(start);
  const connect = (): Promise<MqttClient> =>
    connectAsync(running.url, { ...running.client, reconnectPeriod: 0 });
  const client = await connect();
  const messages: Message[] = [];
  const latest = new Map<string, string>();
  const arrivals = new Arrivals();
  client.on('message', (topic, bytes) => {
    const payload = bytes.toString('utf8');
    messages.push({ topic, payload });
    latest.set(topic, payload);
    arrivals.notify();
  });
  await client.subscribeAsync('#', { qos: 1 });
  return {
    url: running.url,
    flags: ['--mqtt', running.url, ...running.flags],
    messages,
    latest,
    retained: async (topic) => {
      const subscriber = await connect();
      try {
        const message = new Promise<string>((resolve) =>
          subscriber.once('message', (_topic, bytes) => resolve(bytes.toString('utf8'))),
        );
        await subscriber.subscribeAsync(topic, { qos: 1 });
        return await message;
      } finally {
        await subscriber.endAsync();
      }
    },
    publish: async (topic, payload) => {
      await client.publishAsync(topic, payload, { qos: 1 });
    },
    until: async (condition, look) => {
      try {
        return await arrivals.until(look, 'no message that fits', patience);
      } catch (error) {
        const last = messages.slice(-20).map(({ topic, payload }) => `${topic} ${payload.slice(0, 300)}`);
        const text = `MQTT broker: expected that ${condition}, but it was not so within ${patience / 1000} s`;
        throw new Failure([text, 'the last messages:', ...last].join('\n'), { cause: error });
      }
    },
    close: async () => {
      await client.endAsync();
      await running.close();
    },
  };
};
