/** The load of servers' messages on a broker, and the time until the servers are back after a restart of the broker. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ANY, topicsOf } from '../../src/contract/topics.js';
import { toTenth } from '../support/statistics.js';
import { subscribe, type RunningBroker } from './broker.js';
import type { Order, Outcome } from './protocol-process.js';

export interface ProtocolFleet {
  readonly servers: number;
  /** Linked devices of each server, which hears as many other devices, and the devices of its two neighbours. */
  readonly devices: number;
  /** Clients that listen to all messages. */
  readonly consumers: number;
}

const PROCESSES = 2;
const REST_MS = 20_000;
/** The most time until all devices of a fleet are available, ms. */
const MOST_MS = 120_000;
const POLL_MS = 50;

const TOPICS = topicsOf('airbench', 'dice', '');
/** Counters of Mosquitto: https://mosquitto.org/man/mosquitto-8.html, Broker Status. */
const COUNTERS = ['messages/received', 'messages/sent', 'bytes/received', 'bytes/sent'].map(
  (name) => `$SYS/broker/${name}`,
);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Observes devices, servers and counters from now on, beside `listeners` that listen to all messages. */
const lookOn = async ({ url }: RunningBroker, listeners: number) => {
  const available = new Set<string>();
  const online = new Set<string>();
  const counters = new Map<string, number>();
  let updated = (): void => undefined;
  const filters = [TOPICS.availabilities(ANY), TOPICS.serverOf(ANY), ...COUNTERS];
  const client = await subscribe(url, filters, (topic, payload, { retain }) => {
    if (COUNTERS.includes(topic)) {
      counters.set(topic, Number(payload.toString()));
      if (topic.endsWith('bytes/sent')) updated();
    } else if (!retain) {
      const route = TOPICS.routeOf(topic);
      if (route?.to === 'status' && payload.includes('"online"')) online.add(route.server);
      if (route?.to === 'availability' && payload.toString() === 'online') available.add(route.address);
    }
  });
  const consumers = await Promise.all(
    Array.from({ length: listeners }, () => subscribe(url, ['airbench/#'], () => undefined)),
  );
  return {
    ...{ available, online },
    /** The newest counters of messages and bytes, once Mosquitto has published them again. */
    count: async () => {
      await new Promise<void>((resolve) => (updated = resolve));
      const [received = 0, sent = 0, ...bytes] = COUNTERS.map((name) => counters.get(name) ?? 0);
      return { received, sent, bytes: bytes.reduce((sum, each) => sum + each, 0) };
    },
    close: async () => {
      await Promise.all([client, ...consumers].map((each) => each.endAsync(true)));
    },
  };
};

/** The number of servers that found the right neighbour, once all have followed the order. */
const ordered = async (processes: readonly ChildProcess[], order: Order): Promise<number> => {
  const answers = processes.map(async (each) => (await once(each, 'message'))[0] as Outcome);
  for (const each of processes) each.send(order);
  return (await Promise.all(answers)).reduce((sum, { right }) => sum + right, 0);
};

/** Starts all servers, shared among a few processes. */
const startProcesses = async (
  url: string,
  servers: number,
  devices: number,
): Promise<readonly ChildProcess[]> => {
  const program = fileURLToPath(new URL('protocol-process.js', import.meta.url));
  const share = Math.ceil(servers / PROCESSES);
  const processes = Array.from({ length: PROCESSES }, (_, at) => {
    const count = Math.max(0, Math.min(share, servers - at * share));
    return fork(program, [url, at * share, count, servers, devices].map(String));
  });
  await Promise.all(processes.map((each) => once(each, 'message')));
  return processes;
};

export const measureProtocol = async (
  broker: RunningBroker,
  { servers, devices, consumers }: ProtocolFleet,
) => {
  const problems: string[] = [];
  const all = servers * devices;

  /** Seconds until all servers are online and all devices are available. */
  const untilBack = async (
    { online, available }: Awaited<ReturnType<typeof lookOn>>,
    began: number,
    phase: string,
  ): Promise<number> => {
    while (online.size < servers || available.size < all) {
      if (performance.now() - began > MOST_MS) {
        problems.push(`${phase}: ${online.size} of ${servers} servers, ${available.size} of ${all} devices`);
        break;
      }
      await pause(POLL_MS);
    }
    return toTenth((performance.now() - began) / 1000);
  };

  let onlooker = await lookOn(broker, consumers);
  const starting = performance.now();
  const processes = await startProcesses(broker.url, servers, devices);
  await ordered(processes, 'connect');
  const started_s = await untilBack(onlooker, starting, 'start');
  // All devices are heard within this time.
  await pause(REST_MS / 2);
  const before = await onlooker.count();
  const began = performance.now();
  await pause(REST_MS);
  const after = await onlooker.count();
  const seconds = (performance.now() - began) / 1000;

  const ask = async (when: string): Promise<void> => {
    const right = await ordered(processes, 'ask');
    if (right !== servers) problems.push(`${right} of ${servers} servers found their neighbour ${when}`);
  };

  const restart = async (remembers: boolean) => {
    await onlooker.close();
    await broker.restart(remembers);
    const at = performance.now();
    onlooker = await lookOn(broker, consumers);
    const phase = remembers ? 'restart with memory' : 'restart without memory';
    const back = await untilBack(onlooker, at, phase);
    const { received, sent } = await onlooker.count();
    await ask(`after a ${phase}`);
    return { back, messages: received + sent };
  };

  await ask('after the start');
  const remembered = await restart(true);
  const without = await restart(false);
  const measures = {
    servers,
    devices: all,
    started_s,
    rest_received_per_s: toTenth((after.received - before.received) / seconds),
    rest_sent_per_s: toTenth((after.sent - before.sent) / seconds),
    rest_kB_per_s: toTenth((after.bytes - before.bytes) / seconds / 1000),
    back_without_memory_s: without.back,
    back_with_memory_s: remembered.back,
    messages_to_come_back: without.messages,
  };
  for (const each of processes) each.disconnect();
  await onlooker.close();
  return { problems, measures };
};
