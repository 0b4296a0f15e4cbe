/** Runs features with workers. The scenarios that a lost worker has left without a result run again, with new workers. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import { packageFile } from '../src/system/package.js';
import { describeExit } from '../src/system/system-error.js';
import { CANNOT_RUN } from './bench/cannot-run.js';
import { workersOf, type RunChoices } from './configuration.js';
import { restOf } from './report/continued.js';
import { decodeEnvelope, type Envelope } from './report/messages.js';
import { readRun, type Run } from './report/run.js';
import { scenarioOf, type Scenario } from './report/scenario.js';

interface Loss {
  /** `worker 1 was killed by SIGKILL` */
  readonly text: string;
  /** Undefined between scenarios. */
  readonly scenario: Scenario | undefined;
}

/** The scenario that a worker has begun and not finished. */
const underWay = (envelopes: readonly Envelope[], worker: string): Scenario | undefined => {
  const ended = new Set(envelopes.map(({ testCaseFinished }) => testCaseFinished?.testCaseStartedId));
  const begun = envelopes.find(
    ({ testCaseStarted }) => testCaseStarted?.workerId === worker && !ended.has(testCaseStarted.id),
  )?.testCaseStarted;
  const planned = envelopes.find(
    ({ testCase }) => testCase !== undefined && testCase.id === begun?.testCaseId,
  );
  const pickle = envelopes.find((envelope) => envelope.pickle?.id === planned?.testCase?.pickleId)?.pickle;
  return pickle === undefined ? undefined : scenarioOf(pickle);
};

/** The processes of a part of a run, all of which end with the first that is lost. */
class Workers {
  loss: Loss | undefined;
  /** The messages without attachments. */
  readonly envelopes: Envelope[] = [];
  private readonly started: ChildProcess[] = [];

  readonly add = (message: unknown): void => {
    const { process: worker } = message as { readonly process: ChildProcess };
    const id = String(this.started.push(worker) - 1);
    // Cucumber may still send to a process that has ended.
    worker.on('error', () => undefined);
    void this.watch(worker, id);
  };

  readonly receive = (message: unknown): void => {
    const envelope = decodeEnvelope(message);
    if (E.isRight(envelope) && envelope.right.attachment === undefined) this.envelopes.push(envelope.right);
  };

  private async watch(worker: ChildProcess, id: string): Promise<void> {
    const how = await describeExit(worker);
    // The last messages may still be on the way.
    if (worker.connected) await once(worker, 'disconnect');
    if (worker.exitCode === CANNOT_RUN) {
      // They would report that they cannot write to this process.
      for (const other of this.started) other.kill('SIGKILL');
      process.exit(CANNOT_RUN);
    }
    const scenario = underWay(this.envelopes, id);
    const isLost = worker.signalCode !== null || scenario !== undefined;
    if (!isLost || this.loss !== undefined) return;
    this.loss = { text: `worker ${id} ${how}`, scenario };
    for (const other of this.started) other.kill();
  }
}

/** Runs the scenarios of `choices` as Cucumber does; resolves with whether they passed. */
type RunPart = (choices: RunChoices, receive: (envelope: unknown) => void) => Promise<boolean>;

/** Whether all scenarios with a result have passed. */
const hasPassed = ({ outcomes, troubles }: Run): boolean =>
  troubles.length === 0 && [...outcomes.values()].every(({ status }) => status !== 'failed');

const sentence = ({ text, scenario }: Loss, end: string): string => {
  const during = scenario && ` during the scenario "${scenario.name}" (${scenario.uri}:${scenario.line})`;
  return `\n${text}${during ?? ''}: ${end}\n`;
};

/** Runs all scenarios, and after the loss of a worker those without a result; a scenario that loses two workers ends the run. */
export const runAll = async (choices: RunChoices, runPart: RunPart): Promise<boolean> => {
  if (workersOf(choices) === 0) return runPart(choices, () => undefined);
  const losses: (string | undefined)[] = [];
  let [part, allPassed] = [choices, true];
  for (;;) {
    const workers = new Workers();
    subscribe('child_process', workers.add);
    const passed = await runPart(part, workers.receive)
      .catch((error: unknown) => {
        // Cucumber cannot sum up scenarios without an end.
        if (workers.loss === undefined) throw error;
      })
      .finally(() => unsubscribe('child_process', workers.add));
    const { loss } = workers;
    if (loss === undefined) return passed === true && allPassed;
    const run = readRun(workers.envelopes);
    allPassed &&= hasPassed(run);
    const { scenarios, files, continues } = restOf(run, packageFile(''));
    const key = loss.scenario?.key;
    const ends = scenarios.length === 0 || losses.includes(key);
    const next = ends ? 'the run ends before' : 'new workers run';
    const left = `the scenarios without a result, ${scenarios.length} of ${run.planned.length}`;
    process.stderr.write(sentence(loss, `${next} ${left}`));
    if (ends) return allPassed && scenarios.length === 0;
    losses.push(key);
    part = { ...choices, paths: files, rest: scenarios, continues, formats: [] };
  }
};
