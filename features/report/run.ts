/** A run of the features, read from its messages. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import { DEVICE_FACTS, DeviceFacts, RUN_FACTS, RunFacts } from './facts.js';
import { milliseconds, type Attachment, type Envelope, type Pickle, type StepResult } from './messages.js';

export interface Scenario {
  /** File, name and steps: a scenario whose steps change is a new one without results. */
  readonly key: string;
  readonly uri: string;
  readonly line: number;
  readonly name: string;
  readonly tags: readonly string[];
}

export type Status = 'passed' | 'failed' | 'skipped';

export interface Outcome {
  readonly status: Status;
  /** The reason of a failure or skip; empty if the messages have none. */
  readonly reason: string;
  /** The time of the end, in milliseconds since 1970. */
  readonly at: number;
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
  readonly success: boolean;
  /** All scenarios of each feature file that Cucumber has read. */
  readonly features: ReadonlyMap<string, readonly Scenario[]>;
  /** The outcome of each scenario, by its key. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Failures outside any scenario. */
  readonly troubles: readonly string[];
}

/** A scenario under way. */
interface Attempt {
  readonly key: string;
  status: Status;
  reason: string;
  /** The log of each step. A skipped step logs its reason. */
  readonly reasons: Map<string, string>;
}

const scenarioOf = ({ uri, name, tags, steps, location }: Pickle): Scenario => ({
  key: JSON.stringify([uri, name, steps.map(({ text, argument }) => [text, argument])]),
  uri,
  line: location?.line ?? 0,
  name,
  tags: tags.map((tag) => tag.name),
});

/** The message that a skipped step or hook logged or attached. */
const reasonIn = ({ body, mediaType, contentEncoding }: Attachment): string | undefined =>
  mediaType.startsWith('text/') && contentEncoding === 'IDENTITY'
    ? body.replace(/^skipped: /, '')
    : undefined;

const judge = (attempt: Attempt, testStepId: string, { status, message = '' }: StepResult): void => {
  if (status === 'PASSED' || attempt.status === 'failed') return;
  if (status !== 'SKIPPED') {
    attempt.status = 'failed';
    attempt.reason = message === '' ? `a step is ${status.toLowerCase()}` : message;
  } else if (attempt.status === 'passed') {
    attempt.status = 'skipped';
    attempt.reason = attempt.reasons.get(testStepId) ?? message;
  }
};

const factsIn = <A>(codec: t.Type<A>, { body }: Attachment): A | undefined =>
  pipe(
    J.parse(body),
    E.chainW((json) => codec.decode(json)),
    E.getOrElseW(() => undefined),
  );

/** Reads the messages of a run one after another; `run` is the result so far. */
export class RunReader {
  private facts: RunFacts | undefined;
  private readonly devices: DeviceFacts[] = [];
  private startedAt = 0;
  private finishedAt = 0;
  private interrupted = true;
  private success = false;
  private readonly features = new Map<string, Scenario[]>();
  private readonly outcomes = new Map<string, Outcome>();
  private readonly troubles: string[] = [];
  private readonly keys = new Map<string, string>();
  private readonly cases = new Map<string, string>();
  private readonly attempts = new Map<string, Attempt>();

  get run(): Run {
    const { facts, devices, startedAt, finishedAt, interrupted, success } = this;
    const { features, outcomes, troubles } = this;
    return { facts, devices, startedAt, finishedAt, interrupted, success, features, outcomes, troubles };
  }

  read(envelope: Envelope): void {
    const { gherkinDocument, parseError, pickle, testRunStarted, testRunHookFinished, testRunFinished } =
      envelope;
    if (testRunStarted !== undefined) {
      this.startedAt = milliseconds(testRunStarted.timestamp);
      this.finishedAt = this.startedAt;
    }
    if (gherkinDocument?.uri !== undefined) this.features.set(gherkinDocument.uri, []);
    if (parseError !== undefined) this.troubles.push(parseError.message);
    if (pickle !== undefined) this.list(pickle);
    this.readCase(envelope);
    if (testRunHookFinished?.result.status === 'FAILED') {
      this.troubles.push(testRunHookFinished.result.message ?? 'a hook around the run failed');
    }
    if (testRunFinished !== undefined) {
      this.finishedAt = milliseconds(testRunFinished.timestamp);
      this.interrupted = false;
      this.success = testRunFinished.success;
    }
  }

  private list(pickle: Pickle): void {
    const scenario = scenarioOf(pickle);
    this.features.set(scenario.uri, [...(this.features.get(scenario.uri) ?? []), scenario]);
    this.keys.set(pickle.id, scenario.key);
  }

  private readCase({
    testCase,
    testCaseStarted,
    attachment,
    testStepFinished,
    testCaseFinished,
  }: Envelope): void {
    if (testCase !== undefined) this.cases.set(testCase.id, this.keys.get(testCase.pickleId) ?? '');
    if (testCaseStarted !== undefined) {
      const key = this.cases.get(testCaseStarted.testCaseId) ?? '';
      this.attempts.set(testCaseStarted.id, { key, status: 'passed', reason: '', reasons: new Map() });
    }
    if (attachment !== undefined) this.receive(attachment);
    if (testStepFinished !== undefined) {
      const attempt = this.attempts.get(testStepFinished.testCaseStartedId);
      if (attempt !== undefined) judge(attempt, testStepFinished.testStepId, testStepFinished.testStepResult);
    }
    if (testCaseFinished !== undefined && !testCaseFinished.willBeRetried) {
      const attempt = this.attempts.get(testCaseFinished.testCaseStartedId);
      if (attempt !== undefined) this.conclude(attempt, milliseconds(testCaseFinished.timestamp));
    }
  }

  /** A failed attempt decides for identical scenarios. */
  private conclude({ key, status, reason }: Attempt, at: number): void {
    this.finishedAt = at;
    if (this.outcomes.get(key)?.status !== 'failed') this.outcomes.set(key, { status, reason, at });
  }

  private receive(attachment: Attachment): void {
    const { fileName, testCaseStartedId = '', testStepId = '' } = attachment;
    if (fileName === RUN_FACTS) this.facts ??= factsIn(RunFacts, attachment);
    else if (fileName === DEVICE_FACTS) {
      const device = factsIn(DeviceFacts, attachment);
      if (device !== undefined) this.devices.push(device);
    } else {
      const reasons = this.attempts.get(testCaseStartedId)?.reasons;
      const reason = reasonIn(attachment);
      if (reason !== undefined && reasons?.has(testStepId) === false) reasons.set(testStepId, reason);
    }
  }
}

export const readRun = (envelopes: readonly Envelope[]): Run => {
  const reader = new RunReader();
  for (const envelope of envelopes) reader.read(envelope);
  return reader.run;
};
