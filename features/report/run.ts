/** A run of the features, read from its messages. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import { AttemptReader, plannedSteps, type Attempt, type PlannedStep } from './attempt.js';
import { DEVICE_FACTS, DeviceFacts, FINDING, Finding, NOTE, Note, RUN_FACTS, RunFacts } from './facts.js';
import { milliseconds, type Attachment, type Envelope, type Pickle, type TestCase } from './messages.js';
import { scenarioOf, type Scenario } from './scenario.js';
import { StepReader, type ListedStep } from './steps.js';

/** Flaky: passed at a later attempt. */
export type Status = 'passed' | 'flaky' | 'failed' | 'skipped';

export interface Outcome {
  readonly status: Status;
  /** The reason of a failure or skip, or of a flaky scenario's first failure; empty if the messages have none. */
  readonly reason: string;
  /** The time of the end, in milliseconds since 1970. */
  readonly at: number;
  /** The duration of the last attempt, in milliseconds. */
  readonly took: number;
  /** In their order; the last one decides. */
  readonly attempts: readonly Attempt[];
}

/** A remark or an observed value that the operator typed. */
export interface Remark {
  readonly text: string;
  readonly scenario: Scenario;
}

export interface Run {
  /** Undefined for a dry run, and for a run without a started scenario. */
  readonly facts: RunFacts | undefined;
  readonly devices: readonly DeviceFacts[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The end of the run; of an interrupted run, the end of its last scenario. */
  readonly finishedAt: number;
  readonly interrupted: boolean;
  /** All scenarios of each feature file that Cucumber has read. */
  readonly features: ReadonlyMap<string, readonly Scenario[]>;
  /** The name of each feature, by its file. */
  readonly featureNames: ReadonlyMap<string, string>;
  /** The scenarios that the run was to try, in its order. */
  readonly planned: readonly Scenario[];
  /** The outcome of each scenario, by its key. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Failures outside any scenario. */
  readonly troubles: readonly string[];
  readonly findings: readonly Finding[];
  readonly remarks: readonly Remark[];
  readonly steps: readonly ListedStep[];
}

type Ended = NonNullable<Envelope['testCaseFinished']>;

const factsIn = <A>(codec: t.Type<A>, { body }: Attachment): A | undefined =>
  pipe(
    J.parse(body),
    E.chainW((json) => codec.decode(json)),
    E.getOrElseW(() => undefined),
  );

const outcomeOf = (attempts: readonly Attempt[], at: number, took: number): Outcome => {
  const [first, last] = [attempts[0], attempts.at(-1)];
  const isFlaky = last?.status === 'passed' && attempts.length > 1;
  const { status, reason } = (isFlaky ? first : last) ?? { status: 'failed', reason: '' };
  return { status: isFlaky ? 'flaky' : status, reason, at, took, attempts };
};

class RunReader {
  facts: RunFacts | undefined;
  readonly devices: DeviceFacts[] = [];
  startedAt = 0;
  finishedAt = 0;
  interrupted = true;
  readonly features = new Map<string, Scenario[]>();
  readonly featureNames = new Map<string, string>();
  readonly planned: Scenario[] = [];
  readonly outcomes = new Map<string, Outcome>();
  readonly troubles: string[] = [];
  readonly findings: Finding[] = [];
  readonly remarks: Remark[] = [];
  private readonly listing = new StepReader();
  private readonly pickles = new Map<string, Pickle>();
  private readonly cases = new Map<
    string,
    { readonly scenario: Scenario; readonly steps: readonly PlannedStep[] }
  >();
  private readonly underWay = new Map<string, AttemptReader>();
  private readonly retried = new Map<string, Attempt[]>();

  get steps(): readonly ListedStep[] {
    return this.listing.steps;
  }

  read(envelope: Envelope): void {
    const { gherkinDocument, parseError, pickle, testRunStarted, testRunHookFinished, testRunFinished } =
      envelope;
    this.listing.read(envelope);
    if (testRunStarted !== undefined) {
      this.startedAt = milliseconds(testRunStarted.timestamp);
      this.finishedAt = this.startedAt;
    }
    if (gherkinDocument?.uri !== undefined) {
      this.features.set(gherkinDocument.uri, []);
      this.featureNames.set(gherkinDocument.uri, gherkinDocument.feature?.name ?? '');
    }
    if (parseError !== undefined) this.troubles.push(parseError.message);
    if (pickle !== undefined) this.list(pickle);
    this.readCase(envelope);
    if (testRunHookFinished?.result.status === 'FAILED') {
      this.troubles.push(testRunHookFinished.result.message ?? 'a hook around the run failed');
    }
    if (testRunFinished !== undefined) {
      this.finishedAt = milliseconds(testRunFinished.timestamp);
      this.interrupted = false;
    }
  }

  private list(pickle: Pickle): void {
    const scenario = scenarioOf(pickle);
    this.features.set(scenario.uri, [...(this.features.get(scenario.uri) ?? []), scenario]);
    this.pickles.set(pickle.id, pickle);
  }

  private readCase(envelope: Envelope): void {
    const { testCase, testCaseStarted, attachment, testStepFinished, testCaseFinished } = envelope;
    if (testCase !== undefined) this.plan(testCase);
    if (testCaseStarted !== undefined) {
      const planned = this.cases.get(testCaseStarted.testCaseId);
      if (planned !== undefined)
        this.underWay.set(
          testCaseStarted.id,
          new AttemptReader(planned.scenario, planned.steps, milliseconds(testCaseStarted.timestamp)),
        );
    }
    if (attachment !== undefined) this.receive(attachment);
    if (testStepFinished !== undefined)
      this.underWay
        .get(testStepFinished.testCaseStartedId)
        ?.finish(testStepFinished.testStepId, testStepFinished.testStepResult);
    if (testCaseFinished !== undefined) {
      const attempt = this.underWay.get(testCaseFinished.testCaseStartedId);
      this.underWay.delete(testCaseFinished.testCaseStartedId);
      if (attempt !== undefined) this.conclude(attempt, testCaseFinished);
    }
  }

  private plan(testCase: TestCase): void {
    const pickle = this.pickles.get(testCase.pickleId);
    if (pickle === undefined) return;
    const scenario = scenarioOf(pickle);
    this.planned.push(scenario);
    this.cases.set(testCase.id, { scenario, steps: plannedSteps(pickle, testCase) });
  }

  /** A failed scenario decides for identical scenarios. */
  private conclude(
    { scenario: { key }, startedAt, attempt }: AttemptReader,
    { timestamp, willBeRetried }: Ended,
  ): void {
    const attempts = [...(this.retried.get(key) ?? []), attempt];
    if (willBeRetried) {
      this.retried.set(key, attempts);
      return;
    }
    this.retried.delete(key);
    const at = milliseconds(timestamp);
    const outcome = outcomeOf(attempts, at, at - startedAt);
    this.finishedAt = outcome.at;
    if (this.outcomes.get(key)?.status !== 'failed') this.outcomes.set(key, outcome);
  }

  private receive(attachment: Attachment): void {
    const { fileName, testCaseStartedId = '', testStepId = '' } = attachment;
    const attempt = this.underWay.get(testCaseStartedId);
    if (fileName === RUN_FACTS) this.facts ??= factsIn(RunFacts, attachment);
    else if (fileName === DEVICE_FACTS) push(this.devices, factsIn(DeviceFacts, attachment));
    else if (fileName === FINDING) push(this.findings, factsIn(Finding, attachment));
    else if (fileName !== NOTE) attempt?.attach(testStepId, attachment);
    else if (attempt !== undefined) {
      const note = factsIn(Note, attachment);
      if (note !== undefined) this.remarks.push({ text: note.text, scenario: attempt.scenario });
    }
  }
}

const push = <A>(list: A[], value: A | undefined): void => {
  if (value !== undefined) list.push(value);
};

export const readRun = (envelopes: readonly Envelope[]): Run => {
  const reader = new RunReader();
  for (const envelope of envelopes) reader.read(envelope);
  return reader;
};
