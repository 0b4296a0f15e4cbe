/**
 * Many dice and clocks in a radio full of faults, many clients, and whether the events are right:
 * `npm run chaos -- --secs 300 --seed 7`. Ends with a table, and status 1 if anything was not as it must be.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { seededRng } from '../../simulators/radio/index.js';
import { CLOCKS, DICE, control, openRig, type Rig } from './rig.js';
import { chaosCommand, type ChaosBody } from './command.js';
import { ClockOperations } from './clock-operations.js';
import { DiceOperations } from './dice-operations.js';
import { Tally } from './tally.js';
import { judge, linkCounts } from './verdict.js';

const TRACE = 'reports/chaos.btsnoop';
/** What the servers say of themselves. */
const LOG = 'reports/chaos.log';
/** How many operations are under way at a time. */
const HANDS = 12;
/** How long all devices may take to come back when the storm is over. */
const CALM_MS = 60_000;

/** Everybody connected and subscribed, before anything goes wrong. */
const calm = async (rig: Rig, dice: DiceOperations, clocks: ClockOperations): Promise<boolean> => {
  const [first] = rig.clockClients;
  if (first === undefined) return false;
  const connected = await Promise.all([
    ...rig.dice.map((address) => dice.connect(address)),
    ...rig.clocks.map((address) => clocks.command(first, { type: 'connect', address })),
  ]);
  return connected.every((done) => done);
};

const subscribe = async (rig: Rig, clocks: ClockOperations): Promise<{ at: number; seq: number }> => {
  const subscriptions = rig.clockClients.flatMap((client) =>
    rig.clocks.map((address) => clocks.command(client, { type: 'subscribe_events', address })),
  );
  await Promise.all(subscriptions);
  await Promise.all(rig.clockClients.map((client) => client.caughtUp()));
  const numbers = rig.clockClients.flatMap(({ events }) =>
    events.map((text) => (JSON.parse(text) as { seq: number }).seq),
  );
  return { at: Date.now(), seq: Math.max(0, ...numbers) };
};

/** Waits until servers, devices and radio agree on so many links. */
const agree = async (rig: Rig, tally: Tally, dice: number, clocks: number): Promise<void> => {
  const due = JSON.stringify({ dice, clocks, links: dice + clocks });
  const deadline = performance.now() + CALM_MS;
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

const storm = async (
  rig: Rig,
  tally: Tally,
  { plan: { seed, durationSecs }, body }: ChaosBody,
  any: (chance: () => number) => Promise<void>,
): Promise<JsonRecord> => {
  await control(rig, tally, '/chaos', 'POST', body);
  const until = performance.now() + durationSecs * 1000;
  const hand = async (chance: () => number): Promise<void> => {
    while (performance.now() < until) await any(chance);
  };
  await Promise.all(Array.from({ length: HANDS }, (_, index) => hand(seededRng(seed * 1000 + index))));
  const report = (await control(rig, tally, '/chaos', 'DELETE')) as { faults: JsonRecord };
  return report.faults;
};

/** Violations by our processes: defects, and what Node warns of. */
const warnings = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => line !== '' && !/"level":[1-4]0\b/.test(line));

const run = async (chaos: ChaosBody): Promise<number> => {
  const { seed, durationSecs } = chaos.plan;
  const tally = new Tally();
  mkdirSync('reports', { recursive: true });
  for (const file of [TRACE, `${TRACE}.1`]) rmSync(file, { force: true });
  const rig = await openRig(seed, TRACE);
  const startedAt = Date.now();
  const dice = new DiceOperations(rig, tally);
  const clocks = new ClockOperations(rig, tally);
  if (!(await calm(rig, dice, clocks))) tally.problem('not all could be connected at the beginning');
  const subscribed = await subscribe(rig, clocks);
  await agree(rig, tally, DICE, CLOCKS);

  const faults = await storm(rig, tally, chaos, (chance) =>
    chance() < 0.75 ? dice.any(chance) : clocks.any(chance),
  );
  if (!(await calm(rig, dice, clocks))) tally.problem('not all could be connected when it was over');
  await agree(rig, tally, DICE, CLOCKS);

  for (const address of rig.dice) await dice.disconnect(address);
  for (const [index, address] of rig.clocks.entries()) {
    const client = rig.clockClients[index];
    if (client !== undefined) await clocks.command(client, { type: 'disconnect', address });
  }
  await agree(rig, tally, 0, 0);
  const sockets = [...rig.diceClients, ...rig.clockClients];
  if (sockets.some(({ closed }) => closed)) tally.problem('a server closed a WebSocket');
  await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => socket.caughtUp()));
  for (const socket of sockets) socket.close();
  const { status, stderr } = await rig.program.signal('SIGINT');
  if (status !== 0) tally.problem(`the rig ended with status ${String(status)}`);
  writeFileSync(LOG, stderr);
  for (const line of warnings(stderr)) tally.problem(`on stderr: ${line}`);
  const compared = judge(rig, { traceFile: TRACE, startedAt, dice, clocks, subscribed }, tally);

  console.log(`${tally.table(faults)}\n\n${tally.operations} operations; ${compared}.`);
  console.log(
    `Seed ${seed}, ${durationSecs} s: ${tally.problems.length === 0 ? 'all as it must be.' : 'PROBLEMS:'}`,
  );
  for (const problem of tally.problems.slice(0, 50)) console.log(`- ${problem}`);
  return tally.problems.length === 0 ? 0 : 1;
};

await chaosCommand(async (chaos) => {
  process.exitCode = await run(chaos);
}).parseAsync();
