/**
 * Judges the events of many dice and clocks, on a radio full of faults, at many clients. A long run consists of windows.
 * Each window begins and ends without connections and is judged separately, so that a run keeps the data of one window.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { WebSocket } from 'ws';
import { expectConformance } from '../../features/clients/clients.js';
import { seededRng } from '../../simulators/radio/index.js';
import type { Listener } from '../../simulators/testing/internal/listener.js';
import { startAedes } from '../support/mqtt.js';
import { closeBrowsers } from '../support/browser.js';
import { Consumer } from './consumer.js';
import { Operations } from './operations.js';
import { openPages, Resources } from './resources.js';
import { CLOCKS, DICE, openSite, type Site } from './site.js';
import { Tally, type Faults } from './tally.js';
import { judge, linkCounts, lossyFor, numberOf, type Scheduled } from './verdict.js';

/** Evidence of a failed run. */
const TRACE = 'reports/load.btsnoop';
const LOG = 'reports/load.log';
/** The number of operations at a time. */
const WORKERS = 12;
/** How long all devices may take to come back after the last fault. */
const RECOVERY_MS = 60_000;
/** The longest window, seconds. */
const WINDOW_SECS = 60;

/** Connects all devices, with retries; resolves with whether all are connected in time. */
const connectAll = async (site: Site, operations: Operations): Promise<boolean> => {
  const [first] = site.clockClients;
  if (first === undefined) return false;
  const deadline = performance.now() + RECOVERY_MS;
  const retry = async (connect: () => Promise<boolean>): Promise<boolean> => {
    while (!(await connect())) if (performance.now() > deadline) return false;
    return true;
  };
  const connected = await Promise.all([
    ...site.dice.map((address) => retry(() => operations.connectDie(address))),
    ...site.clocks.map((address) => retry(() => operations.command(first, { type: 'connect', address }))),
  ]);
  return connected.every((done) => done);
};

const isOpen = ({ socket }: Listener): boolean => socket.readyState === WebSocket.OPEN;

/** Drops the judged events. */
const dropEvents = ({ texts }: Listener): void => void texts.splice(0);

/** Resolves when all open sockets have received all earlier messages. */
const caughtUp = async (sockets: readonly Listener[]): Promise<void> => {
  await Promise.all(sockets.filter(isOpen).map((client) => client.settled()));
};

/** The number of the last event at any client. */
const lastNumber = (clients: readonly Listener[]): number =>
  Math.max(0, ...clients.flatMap(({ texts }) => texts.slice(-1).map(numberOf)));

const subscribe = async (
  { clocks, clockClients }: Site,
  operations: Operations,
): Promise<{ at: number; seq: number }> => {
  const subscriptions = clockClients.flatMap((client) =>
    clocks.map((address) => operations.command(client, { type: 'subscribe_events', address })),
  );
  await Promise.all(subscriptions);
  await caughtUp(clockClients);
  const seq = lastNumber(clockClients);
  clockClients.forEach(dropEvents);
  return { at: Date.now(), seq };
};

/** Waits until servers, devices and radio report these numbers of links. */
const agree = async (site: Site, tally: Tally, dice: number, clocks: number): Promise<void> => {
  const due = JSON.stringify({ dice, clocks, links: dice + clocks });
  const deadline = performance.now() + RECOVERY_MS;
  for (;;) {
    const counts = await linkCounts(site);
    if (counts.every((count) => JSON.stringify(count) === due)) return;
    if (performance.now() > deadline) {
      tally.problem(`servers and devices have ${JSON.stringify(counts)} links instead of ${due}`);
      return;
    }
    await setTimeout(50);
  }
};

/** Runs the plan of faults and the workers; resolves with the schedule of the faults and its start. */
const play = async (
  { control }: Site,
  tally: Tally,
  operations: Operations,
  plan: Plan,
): Promise<{ readonly begun: number; readonly schedule: readonly Scheduled[] }> => {
  await control.post('/chaos', plan);
  const begun = Date.now();
  const schedule = (await control.get('/chaos/schedule')) as readonly Scheduled[];
  const worker = async (chance: () => number): Promise<void> => {
    while (Date.now() < begun + plan.duration_secs * 1000) await operations.any(chance);
  };
  await Promise.all(
    Array.from({ length: WORKERS }, (_, index) => worker(seededRng(plan.seed * 1000 + index))),
  );
  const { faults } = (await control.send('DELETE', '/chaos')) as { faults: Faults };
  tally.injected(faults);
  return { begun, schedule };
};

const playWindow = async (site: Site, tally: Tally, plan: Plan): Promise<void> => {
  const { dice, clocks, diceClients, clockClients, witness } = site;
  const sockets = [...diceClients, ...clockClients];
  sockets.forEach(dropEvents);
  const operations = new Operations(site, tally);
  if (!(await connectAll(site, operations)))
    tally.problem('some devices could not be connected at the beginning');
  const subscribed = await subscribe(site, operations);
  await agree(site, tally, DICE, CLOCKS);

  const { begun, schedule } = await play(site, tally, operations, plan);
  if (!(await connectAll(site, operations))) tally.problem('some devices could not be connected at the end');
  await agree(site, tally, DICE, CLOCKS);

  for (const address of dice) await operations.disconnectDie(address);
  const [first] = clockClients;
  for (const address of clocks)
    if (first !== undefined) await operations.command(first, { type: 'disconnect', address });
  await agree(site, tally, 0, 0);
  if (!sockets.every(isOpen)) tally.problem('a server closed a WebSocket');
  await caughtUp(sockets);
  // Subscriptions go on: some clients may already have later events, and others not yet.
  const last = lastNumber(clockClients);
  await caughtUp([...sockets, witness]);
  await expectConformance().catch((error: unknown) => tally.problem(String(error)));
  const disconnects = tally.takeDisconnects();
  const interferenceWith = (address: string) => ({
    lossy: lossyFor(address, schedule, begun),
    disconnects: disconnects.get(address) ?? [],
  });
  const links = witness.takeLinks();
  judge(site, { links, operations, interferenceWith, subscribed, last }, tally);
};

/** Whether a line of stderr is outside the log: a defect, or a warning of Node.js. */
const isViolation = (line: string): boolean => line !== '' && !/"level":[1-4]0\b/.test(line);

/** The body of `POST /chaos`. */
export interface Plan extends JsonRecord {
  readonly seed: number;
  readonly duration_secs: number;
}

export interface Load {
  readonly plan: Plan;
  readonly clients: number;
  readonly pages: boolean;
  /** Bluetooth proxies of each server; 0: the servers have adapters. */
  readonly proxies: number;
}

const playAll = async (
  site: Site,
  consumer: Consumer,
  { plan, pages }: Load,
  tally: Tally,
): Promise<void> => {
  const windows = Math.ceil(plan.duration_secs / WINDOW_SECS);
  const resources = new Resources(pages ? await openPages(site.world, tally) : new Map());
  const began = performance.now();
  const sample = async (): Promise<void> => {
    if (windows > 1) await resources.sample(site.world, (performance.now() - began) / 1000);
  };
  await sample();
  for (let index = 0; index < windows; index++) {
    const seed = (plan.seed + index) % 2 ** 32;
    const before = tally.problems.length;
    await playWindow(site, tally, { ...plan, seed, duration_secs: plan.duration_secs / windows });
    tally.problems.push(...(await consumer.differences(site.diceClients[0]?.texts ?? [])));
    await sample();
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    console.log(`${minutes} min: ${tally.operations} operations, ${tally.problems.length} problems`);
    for (const problem of tally.problems.slice(before)) console.log(`- ${problem}`);
  }
  const { lines, growing } = resources.report();
  for (const line of lines) console.log(line);
  tally.problems.push(...growing);
  console.log(tally.table());
};

/** Prints tables; resolves with the errors. */
export const run = async (load: Load): Promise<readonly string[]> => {
  const { plan, clients, proxies } = load;
  const tally = new Tally();
  mkdirSync('reports', { recursive: true });
  const log: string[] = [];
  const broker = await startAedes();
  const mqtt = `mqtt://127.0.0.1:${broker.port}`;
  const consumer = await Consumer.open(mqtt);
  /** Room for all devices on each proxy. */
  const onProxies = proxies === 0 ? {} : { proxies, 'proxy-port': 0, 'proxy-slots': DICE };
  const site = await openSite({
    ...{ clients, trace: TRACE, flags: { seed: plan.seed, mqtt, ...onProxies } },
    onLog: (line) => log.push(line),
  });
  try {
    await playAll(site, consumer, load, tally);
  } finally {
    await closeBrowsers();
    for (const client of [...site.diceClients, ...site.clockClients, site.witness]) client.close();
    await site.world.close().catch((error: unknown) => tally.problem(String(error)));
    await consumer.close();
    await broker.close();
    writeFileSync(LOG, log.join('\n'));
  }
  for (const line of log.filter(isViolation)) tally.problem(`on stderr: ${line}`);
  console.log(`Seed ${plan.seed}, ${plan.duration_secs} s: ${tally.problems.length} problems.`);
  return tally.problems;
};
