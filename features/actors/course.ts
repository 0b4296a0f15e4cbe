/** How far a run is, from Cucumber's messages, for the person at the terminal. */
import { SKIPPED } from './skip.js';

/** The messages of Cucumber that the course of a run needs. */
interface Envelope {
  readonly pickle?: {
    readonly id: string;
    readonly name: string;
    readonly uri: string;
    readonly location?: { readonly line: number };
    readonly steps: readonly { readonly id: string; readonly text: string }[];
  };
  readonly testCase?: {
    readonly id: string;
    readonly pickleId: string;
    readonly testSteps: readonly { readonly id: string; readonly pickleStepId?: string }[];
  };
  readonly testCaseStarted?: { readonly testCaseId: string; readonly attempt: number };
  readonly testStepStarted?: { readonly testStepId: string };
  readonly attachment?: { readonly body: string };
  readonly testStepFinished?: {
    readonly testStepResult: { readonly status: string; readonly message?: string };
  };
  readonly testCaseFinished?: { readonly willBeRetried: boolean };
}

interface Pickle {
  readonly name: string;
  /** FILE:LINE */
  readonly place: string;
}

export interface Result {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** One line; empty for a passed scenario. */
  readonly reason: string;
}

const NOTHING: Pickle = { name: '', place: '' };

export class Course {
  /** The scenarios of the run. */
  total = 0;
  /** The number of the scenario under way, from 1. */
  number = 0;
  scenario = NOTHING;
  /** The text of the step under way; empty in a hook. */
  step = '';
  /** The begin of the step, in milliseconds of `performance.now()`. */
  stepAt = 0;
  /** The result of the last scenario. */
  last: Result | undefined;

  private status: Result['status'] = 'passed';
  private reason = '';
  private readonly pickles = new Map<string, Pickle>();
  private readonly cases = new Map<string, Pickle>();
  private readonly stepTexts = new Map<string, string>();
  private readonly steps = new Map<string, string>();

  read({
    pickle,
    testCase,
    testCaseStarted,
    testStepStarted,
    attachment,
    testStepFinished,
    testCaseFinished,
  }: Envelope): void {
    if (pickle !== undefined) this.list(pickle);
    if (testCase !== undefined) {
      this.total += 1;
      this.cases.set(testCase.id, this.pickles.get(testCase.pickleId) ?? NOTHING);
      for (const { id, pickleStepId = '' } of testCase.testSteps)
        this.steps.set(id, this.stepTexts.get(pickleStepId) ?? '');
    }
    if (testCaseStarted !== undefined) {
      if (testCaseStarted.attempt === 0) this.number += 1;
      this.scenario = this.cases.get(testCaseStarted.testCaseId) ?? NOTHING;
      this.status = 'passed';
      this.reason = '';
    }
    if (testStepStarted !== undefined) {
      this.step = this.steps.get(testStepStarted.testStepId) ?? '';
      this.stepAt = performance.now();
    }
    if (attachment?.body.startsWith(SKIPPED) === true && this.reason === '')
      this.reason = attachment.body.slice(SKIPPED.length);
    if (testStepFinished !== undefined) this.judge(testStepFinished.testStepResult);
    if (testCaseFinished?.willBeRetried === false)
      this.last = { name: this.scenario.name, status: this.status, reason: this.reason };
  }

  private list({ id, name, uri, location, steps }: NonNullable<Envelope['pickle']>): void {
    this.pickles.set(id, { name, place: location === undefined ? uri : `${uri}:${location.line}` });
    for (const step of steps) this.stepTexts.set(step.id, step.text);
  }

  private judge({ status, message = '' }: NonNullable<Envelope['testStepFinished']>['testStepResult']): void {
    if (status === 'PASSED' || this.status === 'failed') return;
    if (status === 'SKIPPED') {
      this.status = 'skipped';
    } else {
      this.status = 'failed';
      this.reason = message.split('\n')[0] ?? '';
    }
  }
}

/** The course of this process's run, which the plugin `operator` reads. */
export const course = new Course();
