/** The load of a fleet's messages on a broker, and the time until the fleet is back after a restart of the broker. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectAsync } from 'mqtt';
import { topicsOf } from '../../src/contract/topics.js';
import { readClaim } from '../../src/mqtt/claims.js';
import { toTenth } from '../support/statistics.js';
import type { RunningBroker } from './broker.js';
import type { Order, Outcomes } from './protocol-process.js';

export interface ProtocolFleet {
  readonly servers: number;
  /** Linked devices of each server; it hears as many others, and its two neighbours' devices. */
  readonly devices: number;
  /** Who listen to everything. */
  readonly consumers: number;
}

export interface ProtocolMeasures {
  readonly servers: number;
  readonly owned_devices: number;
  readonly started_s: number;
  readonly rest_received_per_s: number;
  readonly rest_sent_per_s: number;
  readonly rest_kB_per_s: number;
  readonly back_without_memory_s: number;
  readonly back_with_memory_s: number;
  readonly messages_to_come_back: number;
}

const PROCESSES = 2;
const REST_MS = 20_000;
/** How long a fleet may take until all its devices are owned, ms. */
const MOST_MS = 120_000;
const POLL_MS = 50;

const TOPICS = topicsOf('airbench', 'dice', '');
/** Counters of Mosquitto: https://mosquitto.org/man/mosquitto-8.html, Broker Status. */
const COUNTERS = ['messages/received', 'messages/sent', 'bytes/received', 'bytes/sent'] as const;
type Counters = Record<(typeof COUNTERS)[number], number>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One who looks at everything from now on. */
const lookOn = async ({ url }: RunningBroker) => {
  const owners = new Map<string, string>();
  const online = new Set<string>();
  const counters: Counters = {
    'messages/received': 0,
    'messages/sent': 0,
    'bytes/received': 0,
    'bytes/sent': 0,
  };
  let updated = (): void => undefined;
  const client = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
  client.on('message', (topic, payload, { retain }) => {
    const counter = COUNTERS.find((name) => topic === `$SYS/broker/${name}`);
    if (counter !== undefined) {
      counters[counter] = Number(payload.toString());
      if (counter === 'bytes/sent') updated();
      return;
    }
    const route = TOPICS.routeOf(topic);
    if (retain) return;
    if (route?.to === 'status' && payload.includes('"online"')) online.add(route.server);
    const claim = route?.to === 'owner' ? readClaim(payload) : undefined;
    if (route?.to === 'owner' && claim?.state === 'owned') owners.set(route.address, claim.name);
  });
  const filters = [TOPICS.owner('+'), TOPICS.servers, ...COUNTERS.map((name) => `$SYS/broker/${name}`)];
  await client.subscribeAsync(filters, { qos: 1 });
  return {
    owners,
    online,
    /** The newest counters, once the broker has published them again. */
    counters: async (): Promise<Counters> => {
      await new Promise<void>((resolve) => (updated = resolve));
      return { ...counters };
    },
    close: () => client.endAsync(true),
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

/** Clients that subscribe to everything; the result ends them. */
const listen = async (url: string, consumers: number): Promise<() => void> => {
  const clients = await Promise.all(
    Array.from({ length: consumers }, async () => {
      const client = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
      await client.subscribeAsync('airbench/#', { qos: 1 });
      client.on('error', () => undefined);
      return client;
    }),
  );
  return () => {
    for (const client of clients) client.end(true);
  };
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
): Promise<{ readonly problems: readonly string[]; readonly measures: ProtocolMeasures }> => {
  const problems: string[] = [];
  const all = servers * devices;

  /** Seconds until all servers are online and all devices have owners. */
  const untilBack = async (
    { online, owners }: Awaited<ReturnType<typeof lookOn>>,
    began: number,
    what: string,
  ): Promise<number> => {
    while (online.size < servers || owners.size < all) {
      if (performance.now() - began > MOST_MS) {
        problems.push(`${what}: ${online.size} of ${servers} servers, ${owners.size} of ${all} devices`);
        break;
      }
      await pause(POLL_MS);
    }
    return toTenth((performance.now() - began) / 1000);
  };

  let onlooker = await lookOn(broker);
  let unlisten = await listen(broker.url, consumers);
  const starting = performance.now();
  const processes = await startProcesses(broker.url, servers, devices);
  const claims = await ordered(processes, 'claim');
  if (claims['granted'] !== all) problems.push(`of ${all} claims: ${JSON.stringify(claims)}`);
  const started_s = await untilBack(onlooker, starting, 'start');
  // All devices have been heard by then.
  await pause(REST_MS / 2);
  const before = await onlooker.counters();
  const began = performance.now();
  await pause(REST_MS);
  const after = await onlooker.counters();
  const seconds = (performance.now() - began) / 1000;
  const rate = (...names: readonly (keyof Counters)[]): number =>
    toTenth(names.reduce((sum, name) => sum + after[name] - before[name], 0) / seconds);

  const intrude = async (when: string): Promise<void> => {
    const { OwnedElsewhere: refused = 0, ...other } = await ordered(processes, 'intrude');
    if (refused !== servers) problems.push(`claims of others' devices ${when}: ${JSON.stringify(other)}`);
  };

  const restart = async (
    remembers: boolean,
  ): Promise<{ readonly back: number; readonly messages: number }> => {
    await onlooker.close();
    unlisten();
    await broker.restart(remembers);
    const at = performance.now();
    onlooker = await lookOn(broker);
    unlisten = await listen(broker.url, consumers);
    const back = await untilBack(onlooker, at, remembers ? 'restart with memory' : 'restart without memory');
    const counted = await onlooker.counters();
    await intrude(remembers ? 'after a restart with memory' : 'after a restart without memory');
    return { back, messages: counted['messages/received'] + counted['messages/sent'] };
  };

  await intrude('after the start');
  const remembered = await restart(true);
  const without = await restart(false);
  const measures = {
    servers,
    owned_devices: all,
    started_s,
    rest_received_per_s: rate('messages/received'),
    rest_sent_per_s: rate('messages/sent'),
    rest_kB_per_s: toTenth(rate('bytes/received', 'bytes/sent') / 1000),
    back_without_memory_s: without.back,
    back_with_memory_s: remembered.back,
    messages_to_come_back: without.messages,
  };
  for (const each of processes) each.disconnect();
  await onlooker.close();
  unlisten();
  return { problems, measures };
};
