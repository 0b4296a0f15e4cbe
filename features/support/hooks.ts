import { setTimeout } from 'node:timers/promises';
import {
  After,
  AfterAll,
  Before,
  BeforeAll,
  Status,
  parallelCanAssignHelpers,
  setDefaultTimeout,
  setDefinitionFunctionWrapper,
  setParallelCanAssign,
} from '@cucumber/cucumber';
import type { Status as DieStatus } from '../../src/dice/contract.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import type { Bench } from '../bench/bench.js';
import { CANNOT_RUN, CannotRun, sayOnce } from '../bench/cannot-run.js';
import { expectConformance } from '../clients/clients.js';
import { Evidence } from './evidence.js';
import {
  INTERRUPTED,
  Interrupted,
  interrupt,
  isInterrupted,
  unlessInterrupted,
} from '../actors/interruption.js';
import { Skip, SKIPPED } from '../actors/skip.js';
import { StepLimit } from '../actors/step-limit.js';
import type { Parameters } from './parameters.js';
import { openBench } from './open-bench.js';
import { Patience } from './patience.js';
import { Scenario, shareBench } from './scenario.js';
import { checkStart } from './start-check.js';
import { told } from '../expect/exchange.js';
import { Mismatch } from '../expect/expect.js';

/** Every step has the limit of its scenario, every other hook one of its own. */
setDefaultTimeout(-1);

/** One scenario at a time may use the default port of servers. */
setParallelCanAssign(parallelCanAssignHelpers.atMostOnePicklePerTag(['@own-server']));

type Code = (this: unknown, ...args: unknown[]) => unknown;

const isHook = ([argument]: readonly unknown[]): boolean =>
  typeof argument === 'object' && argument !== null && 'testCaseStartedId' in argument;

/** Makes an exception outside the promise of a step, which Cucumber takes for the step's error, a failure like any other. */
const adapt = (error: unknown): void => {
  const failure = told(error);
  if (!(error instanceof Error) || !(failure instanceof Error)) return;
  Object.assign(error, { message: failure.message, stack: failure.stack, showDiff: false });
};

/**
 * A step or hook that throws a `Skip` skips the scenario, with the reason in its log; any other error becomes a `Failure` that
 * names its exchange. Ctrl-C ends a step, not a hook.
 */
setDefinitionFunctionWrapper((code: Code): Code => {
  return async function (this: unknown, ...args) {
    const scenario = this instanceof Scenario ? this : undefined;
    const { limit } = scenario ?? { limit: new StepLimit() };
    const work = (): Promise<unknown> => limit.during(() => Promise.resolve(code.apply(this, args)));
    process.on('uncaughtExceptionMonitor', adapt);
    try {
      return await (scenario === undefined || isHook(args) ? work() : unlessInterrupted(work));
    } catch (error) {
      if (error instanceof Interrupted) return 'skipped';
      if (scenario === undefined) throw told(error);
      if (!(error instanceof Skip))
        throw told((await evidence?.explain(scenario, error)) ?? error, scenario.subject);
      scenario.log(`${SKIPPED}${error.reason}`);
      return 'skipped';
    } finally {
      process.off('uncaughtExceptionMonitor', adapt);
    }
  };
});

// Otherwise a worker would wait for ever for a main process that a signal has ended.
if (process.env['CUCUMBER_PARALLEL'] !== undefined)
  process.once('disconnect', () => process.exit(INTERRUPTED));

let bench: Bench | undefined;
let evidence: Evidence | undefined;
let patience = new Patience();

BeforeAll(async function () {
  const parameters = this.parameters as unknown as Parameters;
  try {
    bench = await openBench(parameters);
    const start = await checkStart(bench);
    for (const finding of start.findings) process.stderr.write(`${finding}\n`);
    shareBench(bench);
    evidence = new Evidence(parameters, bench, start);
    patience = new Patience();
  } catch (error) {
    await bench?.close();
    if (!(error instanceof CannotRun)) throw error;
    sayOnce(error, parameters.run);
    process.exit(CANNOT_RUN);
  }
  if (process.env['CUCUMBER_PARALLEL'] !== undefined) return;
  process.off('SIGINT', interrupt).on('SIGINT', interrupt);
});

/** Defined before the other hook of its kind, it runs after that. The scenario gets no result. */
After(async () => {
  if (!isInterrupted()) return;
  try {
    await bench?.close();
  } finally {
    process.stderr.write(
      '\nThe run was interrupted; with --resume the next run goes on with the other scenarios.\n',
    );
    process.exit(INTERRUPTED);
  }
});

AfterAll(async () => {
  try {
    await bench?.close();
  } catch (error) {
    if (process.env['CUCUMBER_PARALLEL'] !== undefined) throw error;
    // Without workers, Cucumber would stop here and leave all reports unfinished.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.once('exit', () => (process.exitCode = 1));
  }
});

/** Every scenario begins with the virtual devices of the bench's start, and without sessions. */
Before(async function (this: Scenario, { pickle }) {
  this.tags = pickle.tags.map(({ name }) => name);
  // Real devices may fail some scenarios on end, and need time for the next.
  if (bench?.controlUrl !== undefined) this.patience = patience.of(this.patience);
  await evidence?.begin(this);
  this.requireNeeds();
  if (this.kind === 'clock') await disconnectClocks(this);
  else await endSessions(this);
  if (this.bench.controlUrl !== undefined) await this.control.reset();
  const isOfProxies = this.tags.includes('@proxies');
  for (const address of isOfProxies ? [] : (this.bench.spareProxies ?? []))
    await this.control.place(address, { in_range: false });
  if (!this.claimsSeed) await ready(this);
  this.usesSeed = this.tags.includes('@seed');
  this.subject = undefined;
});

After(async function (this: Scenario, { result, pickle, willBeRetried }) {
  this.usesSeed = false;
  if (willBeRetried !== true) patience.observe(result?.status);
  await evidence?.end(this, result?.status === Status.FAILED);
  try {
    if (evidence?.isAnswered(this) === true) await leave(this);
  } finally {
    for (const stream of [...this.streams, ...this.clients]) stream.close();
    for (const server of [...this.others, this.own]) await server?.close();
    this.own = undefined;
    await this.broker?.close();
    await evidence?.observe(this, pickle.name);
  }
  // The interface documents do not ask for API documents.
  if (!this.claimsSeed) await expectConformance();
});

/** Brings the devices into the state before the scenario. */
const leave = async (scenario: Scenario): Promise<void> => {
  for (const undo of scenario.afterwards.reverse()) await undo();
  // A server reconnects a clock until a client disconnects it.
  for (const clock of scenario.clocks) {
    await (await scenario.client()).send({ type: 'disconnect', address: clock.address });
  }
  const { claimsSeed, bench, dice } = scenario;
  // Otherwise the next scenario ends all sessions, and its reset removes virtual dice.
  if (claimsSeed || (!bench.virtualAir && dice.length > 0)) await endSessions(scenario);
};

/** Disconnects clocks of the bench that an earlier run has left connected; the server refuses it for the others. */
const disconnectClocks = async (scenario: Scenario): Promise<void> => {
  if (scenario.bench.clocks.length === 0) return;
  const client = await ClockClient.open(...scenario.socketAt('/ws', 'clock-socket.txt'));
  for (const { address } of scenario.bench.clocks) await client.send({ type: 'disconnect', address });
  client.close();
};

/** Polls until the server's adapter is on: the last scenario may just have switched it on again. */
const ready = async ({ server, patience }: Scenario): Promise<void> => {
  const deadline = performance.now() + patience;
  for (;;) {
    const { status } = await server.get('/ready');
    if (status === 200) return;
    if (status !== 503) throw new Mismatch(`status: expected 200 or 503, got ${status}`);
    if (performance.now() > deadline)
      throw new Mismatch(`the server was not ready within ${patience / 1000} s`);
    await setTimeout(20);
  }
};

const openSessions = async ({ server }: Scenario): Promise<readonly string[]> => {
  const { status, text, json } = await server.get('/api/sessions');
  if (status === 200 && Array.isArray(json)) {
    return (json as readonly DieStatus[]).map(({ session_id }) => session_id);
  }
  throw new Error(
    `GET /api/sessions was answered with ${status} ${text.slice(0, 500)}, not with 200 and an array of sessions`,
  );
};

/** Ends all sessions, or those of the scenario on a server that does not list its sessions. */
const endSessions = async (scenario: Scenario): Promise<void> => {
  const sessions = scenario.claimsSeed ? scenario.sessions : await openSessions(scenario);
  for (const session_id of sessions) await scenario.server.post('/api/disconnect', { session_id });
};
