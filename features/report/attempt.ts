/** One attempt at a scenario, step by step, from its messages. */
import type { Scenario } from './scenario.js';
import type { Attachment, Pickle, StepResult, TestCase } from './messages.js';

/** A file that a step or a hook attached. */
export type Attached = Pick<Attachment, 'body' | 'mediaType' | 'contentEncoding' | 'fileName'>;

export interface Step {
  /** With its keyword: `Given a die`. */
  readonly text: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'not run';
  /** The message of a failure. */
  readonly message: string;
  readonly attached: readonly Attached[];
}

export interface Attempt {
  readonly status: 'passed' | 'failed' | 'skipped';
  /** The reason of a failure or skip; empty if the messages have none. */
  readonly reason: string;
  /** Hooks that passed are left out; their attachments belong to the failed step. */
  readonly steps: readonly Step[];
}

export interface PlannedStep {
  readonly id: string;
  readonly text: string;
  readonly isHook: boolean;
}

const KEYWORDS: Readonly<Record<string, string>> = { Context: 'Given', Action: 'When', Outcome: 'Then' };

/** The steps of a scenario with their keywords. A step like the one before it begins with `And`. */
const stepTexts = ({ steps }: Pickle): ReadonlyMap<string, string> =>
  new Map(
    steps.map(({ id, text, type = '' }, at) => {
      const keyword = at > 0 && steps[at - 1]?.type === type ? 'And' : KEYWORDS[type];
      return [id, keyword === undefined ? text : `${keyword} ${text}`];
    }),
  );

export const plannedSteps = (pickle: Pickle, { testSteps }: TestCase): readonly PlannedStep[] => {
  const texts = stepTexts(pickle);
  const firstStep = testSteps.findIndex(({ pickleStepId }) => pickleStepId !== undefined);
  return testSteps.map(({ id, pickleStepId }, at) =>
    pickleStepId === undefined
      ? { id, isHook: true, text: at < firstStep ? 'Before the scenario' : 'After the scenario' }
      : { id, isHook: false, text: texts.get(pickleStepId) ?? '' },
  );
};

/** The message that a skipped step or hook logged or attached. */
const reasonIn = ({ body, mediaType, contentEncoding }: Attached): string | undefined =>
  mediaType.startsWith('text/') && contentEncoding === 'IDENTITY'
    ? body.replace(/^skipped: /, '')
    : undefined;

const statusOf = ({ status }: StepResult): Step['status'] =>
  status === 'PASSED' ? 'passed' : status === 'SKIPPED' ? 'skipped' : 'failed';

export class AttemptReader {
  private readonly results = new Map<string, StepResult>();
  private readonly files = new Map<string, Attached[]>();

  constructor(
    readonly scenario: Scenario,
    private readonly planned: readonly PlannedStep[],
    readonly startedAt: number,
  ) {}

  finish(stepId: string, result: StepResult): void {
    this.results.set(stepId, result);
  }

  attach(stepId: string, file: Attached): void {
    const files = this.files.get(stepId) ?? [];
    this.files.set(stepId, files);
    files.push(file);
  }

  get attempt(): Attempt {
    const failed = this.planned.find(({ id }) => this.statusOf(id) === 'failed');
    if (failed !== undefined) return this.failedAttempt(failed);
    const skipped = this.planned.find(({ id }) => this.statusOf(id) === 'skipped');
    const steps = this.stepsWith(() => []);
    if (skipped === undefined) return { status: 'passed', reason: '', steps };
    const [reason] = this.filesOf(skipped).flatMap((file) => reasonIn(file) ?? []);
    return { status: 'skipped', reason: reason ?? this.messageOf(skipped), steps };
  }

  private failedAttempt(failed: PlannedStep): Attempt {
    const hooks = this.planned.filter(({ id, isHook }) => isHook && id !== failed.id);
    const evidence = [failed, ...hooks].flatMap((step) => this.filesOf(step));
    return {
      status: 'failed',
      reason: this.messageOf(failed),
      steps: this.stepsWith((step) => (step === failed ? evidence : step.isHook ? [] : this.filesOf(step))),
    };
  }

  private stepsWith(attached: (step: PlannedStep) => readonly Attached[]): readonly Step[] {
    return this.planned
      .filter(({ id, isHook }) => !isHook || this.statusOf(id) === 'failed')
      .map((step) => ({
        text: step.text,
        status: this.statusOf(step.id),
        message: this.statusOf(step.id) === 'failed' ? this.messageOf(step) : '',
        attached: attached(step),
      }));
  }

  private statusOf(stepId: string): Step['status'] {
    const result = this.results.get(stepId);
    return result === undefined ? 'not run' : statusOf(result);
  }

  private messageOf({ id }: PlannedStep): string {
    const { status = 'UNKNOWN', message = '' } = this.results.get(id) ?? {};
    return message === '' && status !== 'SKIPPED' ? `a step is ${status.toLowerCase()}` : message;
  }

  private filesOf({ id }: PlannedStep): readonly Attached[] {
    return this.files.get(id) ?? [];
  }
}
