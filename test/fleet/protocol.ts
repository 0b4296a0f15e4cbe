/** The load of a fleet's messages on a broker, and the time until the fleet is back after a restart of the broker. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { topicsOf } from '../../src/contract/topics.js';
import { readClaim } from '../../src/mqtt/claims.js';
import { toTenth } from '../support/statistics.js';
import { subscribe, type RunningBroker } from './broker.js';
import type { Order, Outcomes } from './protocol-process.js';

export interface ProtocolFleet {
  readonly servers: number;
  /** Linked devices of each server, which hears as many other devices, and the devices of its two neighbours. */
  readonly devices: number;
  /** Clients that listen to all messages. */
  readonly consumers: number;
}

const PROCESSES = 2;
const REST_MS = 20_000;
/** The most time until all devices of a fleet are owned, ms. */
const MOST_MS = 120_000;
const POLL_MS = 50;

const TOPICS = topicsOf('airbench', 'dice', '');
/** Counters of Mosquitto: https://mosquitto.org/man/mosquitto-8.html, Broker Status. */
const COUNTERS = ['messages/received', 'messages/sent', 'bytes/received', 'bytes/sent'].map(
  (name) => `$SYS/broker/${name}`,
);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Observes owners, servers and counters from now on, beside `listeners` that listen to all messages. */
const lookOn = async ({ url }: RunningBroker, listeners: number) => {
  const owners = new Map<string, string>();
  const online = new Set<string>();
  const counters = new Map<string, number>();
  let updated = (): void => undefined;
  const filters = [TOPICS.owner('+'), TOPICS.servers, ...COUNTERS];
  const client = await subscribe(url, filters, (topic, payload, { retain }) => {
    if (COUNTERS.includes(topic)) {
      counters.set(topic, Number(payload.toString()));
      if (topic.endsWith('bytes/sent')) updated();
    } else if (!retain) {
      const route = TOPICS.routeOf(topic);
      if (route?.to === 'status' && payload.includes('"online"')) online.add(route.server);
      const claim = route?.to === 'owner' ? readClaim(payload) : undefined;
      if (route?.to === 'owner' && claim?.state === 'owned') owners.set(route.address, claim.name);
    }
  });
  const consumers = await Promise.all(
    Array.from({ length: listeners }, () => subscribe(url, ['airbench/#'], () => undefined)),
  );
  return {
    ...{ owners, online },
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

const ordered = async (processes: readonly ChildProcess[], order: Order): Promise<Outcomes> => {
  const answers = processes.map(async (each) => (await once(each, 'message'))[0] as Outcomes);
  for (const each of processes) each.send(order);
  const sum: Record<string, number> = {};
  for (const outcomes of await Promise.all(answers))
    for (const [outcome, count] of Object.entries(outcomes)) sum[outcome] = (sum[outcome] ?? 0) + count;
  return sum;
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

  /** Seconds until all servers are online and all devices have owners. */
  const untilBack = async (
    { online, owners }: Awaited<ReturnType<typeof lookOn>>,
    began: number,
    phase: string,
  ): Promise<number> => {
    while (online.size < servers || owners.size < all) {
      if (performance.now() - began > MOST_MS) {
        problems.push(`${phase}: ${online.size} of ${servers} servers, ${owners.size} of ${all} devices`);
        break;
      }
      await pause(POLL_MS);
    }
    return toTenth((performance.now() - began) / 1000);
  };

  let onlooker = await lookOn(broker, consumers);
  const starting = performance.now();
  const processes = await startProcesses(broker.url, servers, devices);
  const claims = await ordered(processes, 'claim');
  if (claims['granted'] !== all) problems.push(`of ${all} claims: ${JSON.stringify(claims)}`);
  const started_s = await untilBack(onlooker, starting, 'start');
  // All devices are heard within this time.
  await pause(REST_MS / 2);
  const before = await onlooker.count();
  const began = performance.now();
  await pause(REST_MS);
  const after = await onlooker.count();
  const seconds = (performance.now() - began) / 1000;

  const intrude = async (when: string): Promise<void> => {
    const { OwnedElsewhere: refused = 0, ...other } = await ordered(processes, 'intrude');
    if (refused !== servers) problems.push(`claims of others' devices ${when}: ${JSON.stringify(other)}`);
  };

  const restart = async (remembers: boolean) => {
    await onlooker.close();
    await broker.restart(remembers);
    const at = performance.now();
    onlooker = await lookOn(broker, consumers);
    const phase = remembers ? 'restart with memory' : 'restart without memory';
    const back = await untilBack(onlooker, at, phase);
    const { received, sent } = await onlooker.count();
    await intrude(`after a ${phase}`);
    return { back, messages: received + sent };
  };

  await intrude('after the start');
  const remembered = await restart(true);
  const without = await restart(false);
  const measures = {
    servers,
    owned_devices: all,
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
