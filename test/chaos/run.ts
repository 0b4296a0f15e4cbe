/**
 * Many dice and clocks in a radio full of faults, many clients, and whether the events are right. A long run is made of
 * windows: each begins and ends with nothing connected and is judged by itself, so that no more is kept than of one.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { seededRng } from '../../simulators/radio/index.js';
import { CLOCKS, DICE, ask, control, openRig, type Rig, type RigOptions } from './rig.js';
import { endOf } from './capture.js';
import type { ChaosBody } from './command.js';
import { ClockOperations } from './clock-operations.js';
import { DiceOperations } from './dice-operations.js';
import { Tally, type Faults } from './tally.js';
import { judge, linkCounts, numberOf, type Compared } from './verdict.js';
import type { Listener } from '../../src/testing/internal/listener.js';
import { WebSocket } from 'ws';

const TRACE = 'reports/chaos.btsnoop';
/** The log of the servers. */
const LOG = 'reports/chaos.log';
/** How many operations are under way at a time. */
const WORKERS = 12;
/** How long all devices may take to come back when there are no more faults. */
const RECOVERY_MS = 60_000;
/** How long the radio may take to write what it captured. */
const WRITTEN_MS = 10_000;
/** The longest window, seconds: its capture must fit into the last two parts of the file. */
const WINDOW_SECS = 60;

export interface Between {
  readonly rig: Rig;
  readonly tally: Tally;
  /** Seconds since the first window began. */
  readonly at: number;
}

export interface RunOptions extends RigOptions {
  /** Called before the first window and after each, when nothing is connected and what clients have heard is still there. */
  readonly between?: (between: Between) => Promise<void>;
}

/** Everybody connected, as long as nothing goes wrong; clients ask again if it takes the server longer than it waits. */
const connectAll = async (rig: Rig, dice: DiceOperations, clocks: ClockOperations): Promise<boolean> => {
  const [first] = rig.clockClients;
  if (first === undefined) return false;
  const deadline = performance.now() + RECOVERY_MS;
  const made = async (connect: () => Promise<boolean>): Promise<boolean> => {
    while (!(await connect())) if (performance.now() > deadline) return false;
    return true;
  };
  const connected = await Promise.all([
    ...rig.dice.map((address) => made(() => dice.connect(address))),
    ...rig.clocks.map((address) => made(() => clocks.command(first, { type: 'connect', address }))),
  ]);
  return connected.every((done) => done);
};

const isOpen = ({ socket }: Listener): boolean => socket.readyState === WebSocket.OPEN;

/** Judged events are kept no longer. */
const forget = ({ texts }: Listener): void => void texts.splice(0);

/** All that are open have what the servers sent before. */
const caughtUp = async (sockets: readonly Listener[]): Promise<void> => {
  await Promise.all(sockets.filter(isOpen).map((client) => client.settled()));
};

/** The number of the last event that any client has. */
const lastNumber = (clients: readonly Listener[]): number =>
  Math.max(0, ...clients.flatMap(({ texts }) => texts.slice(-1).map(numberOf)));

const subscribe = async (rig: Rig, clocks: ClockOperations): Promise<{ at: number; seq: number }> => {
  const subscriptions = rig.clockClients.flatMap((client) =>
    rig.clocks.map((address) => clocks.command(client, { type: 'subscribe_events', address })),
  );
  await Promise.all(subscriptions);
  await caughtUp(rig.clockClients);
  const seq = lastNumber(rig.clockClients);
  for (const client of rig.clockClients) forget(client);
  return { at: Date.now(), seq };
};

/** Waits until servers, devices and radio agree on so many links. */
const agree = async (rig: Rig, tally: Tally, dice: number, clocks: number): Promise<void> => {
  const due = JSON.stringify({ dice, clocks, links: dice + clocks });
  const deadline = performance.now() + RECOVERY_MS;
  for (;;) {
    const counts = await linkCounts(rig, tally);
    if (counts.every((count) => JSON.stringify(count) === due)) return;
    if (performance.now() > deadline) {
      tally.problem(`servers and devices have ${JSON.stringify(counts)} links instead of ${due}`);
      return;
    }
    await setTimeout(50);
  }
};

const operateWithFaults = async (
  rig: Rig,
  tally: Tally,
  { plan: { seed, durationSecs }, body }: ChaosBody,
  any: (chance: () => number) => Promise<void>,
): Promise<void> => {
  await control(rig, tally, '/chaos', 'POST', body);
  const until = performance.now() + durationSecs * 1000;
  const worker = async (chance: () => number): Promise<void> => {
    while (performance.now() < until) await any(chance);
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, index) => worker(seededRng(seed * 1000 + index))));
  const report = (await control(rig, tally, '/chaos', 'DELETE')) as { faults: Faults };
  tally.injected(report.faults);
};

/** Waits until the file has all that the radio carried before now. */
const written = async (rig: Rig, tally: Tally): Promise<void> => {
  const now = Date.now();
  const deadline = performance.now() + WRITTEN_MS;
  while (endOf(readFileSync(TRACE)) < now) {
    if (performance.now() > deadline) {
      tally.problem('the capture is not written');
      return;
    }
    // Its answer then is younger than all that is waited for.
    await ask(rig.urls.dice, '/api/scan?duration_secs=0.1', 'POST', {});
  }
};

const playWindow = async (rig: Rig, tally: Tally, chaos: ChaosBody): Promise<Compared> => {
  const sockets = [...rig.diceClients, ...rig.clockClients];
  for (const socket of sockets) forget(socket);
  tally.forgetDisconnects();
  const startedAt = Date.now();
  const dice = new DiceOperations(rig, tally);
  const clocks = new ClockOperations(rig, tally);
  if (!(await connectAll(rig, dice, clocks))) tally.problem('not all could be connected at the beginning');
  const subscribed = await subscribe(rig, clocks);
  await agree(rig, tally, DICE, CLOCKS);

  await operateWithFaults(rig, tally, chaos, (chance) =>
    chance() < 0.75 ? dice.any(chance) : clocks.any(chance),
  );
  if (!(await connectAll(rig, dice, clocks))) tally.problem('not all could be connected when it was over');
  await agree(rig, tally, DICE, CLOCKS);

  for (const address of rig.dice) await dice.disconnect(address);
  for (const [index, address] of rig.clocks.entries()) {
    const client = rig.clockClients[index];
    if (client !== undefined) await clocks.command(client, { type: 'disconnect', address });
  }
  await agree(rig, tally, 0, 0);
  if (!sockets.every(isOpen)) tally.problem('a server closed a WebSocket');
  await caughtUp(sockets);
  // Subscribed clocks are heard even now: what comes later may be at some clients and not yet at others.
  const last = lastNumber(rig.clockClients);
  await caughtUp(sockets);
  await written(rig, tally);
  return judge(rig, { traceFile: TRACE, startedAt, dice, clocks, subscribed, last }, tally);
};

/** Violations by our processes: defects, and what Node warns of. */
const warnings = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => line !== '' && !/"level":[1-4]0\b/.test(line));

/** The same plan, of another seed and for a part of the time. */
const windowOf = ({ plan, body }: ChaosBody, index: number, durationSecs: number): ChaosBody => {
  const seed = (plan.seed + index) % 2 ** 32;
  return {
    plan: { ...plan, seed, durationSecs },
    body: { ...body, seed, duration_secs: durationSecs },
  };
};

/** Prints a table; resolves with what was wrong. */
export const run = async (
  chaos: ChaosBody,
  { between, ...rigOptions }: RunOptions = {},
): Promise<readonly string[]> => {
  const { seed, durationSecs } = chaos.plan;
  const windows = Math.ceil(durationSecs / WINDOW_SECS);
  const tally = new Tally();
  mkdirSync('reports', { recursive: true });
  for (const file of [TRACE, `${TRACE}.1`]) rmSync(file, { force: true });
  const rig = await openRig(seed, TRACE, rigOptions);
  const logged = rig.program.ended.then(({ stderr }) => writeFileSync(LOG, stderr));
  const begun = performance.now();
  const at = (): number => (performance.now() - begun) / 1000;
  await between?.({ rig, tally, at: at() });
  let sum: Compared = { links: 0, notifications: 0, dice: 0, clocks: 0 };
  for (let index = 0; index < windows; index++) {
    const compared = await playWindow(rig, tally, windowOf(chaos, index, durationSecs / windows));
    sum = {
      links: sum.links + compared.links,
      notifications: sum.notifications + compared.notifications,
      dice: sum.dice + compared.dice,
      clocks: sum.clocks + compared.clocks,
    };
    await between?.({ rig, tally, at: at() });
  }
  for (const { socket } of [...rig.diceClients, ...rig.clockClients]) socket.terminate();
  const { status, stderr } = await rig.program.signal('SIGINT');
  if (status !== 0) tally.problem(`the rig ended with status ${String(status)}`);
  await logged;
  for (const line of warnings(stderr)) tally.problem(`on stderr: ${line}`);

  console.log(
    `${tally.table()}\n\n${tally.operations} operations; ${sum.links} links, ${sum.notifications} notifications delivered; ` +
      `${sum.dice} events of dice and ${sum.clocks} of clocks to each of ${rig.diceClients.length} clients.`,
  );
  const isGood = tally.problems.length === 0;
  console.log(`Seed ${seed}, ${durationSecs} s: ${isGood ? '' : 'not '}all as it must be.`);
  return tally.problems;
};
