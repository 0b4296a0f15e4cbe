/** The steps that scenarios may use, with the places of their uses, from the messages of a run. */
import type { Envelope } from './messages.js';

export interface StepUse {
  /** `features/dice/scan.feature:6` */
  readonly place: string;
  readonly text: string;
}

export interface ListedStep {
  /** A cucumber expression, or the source of a regular expression. */
  readonly pattern: string;
  readonly uses: readonly StepUse[];
}

export class StepReader {
  private readonly patterns = new Map<string, string>();
  private readonly uses = new Map<string, StepUse[]>();
  private readonly pickles = new Map<string, NonNullable<Envelope['pickle']>>();

  read({ stepDefinition, pickle, testCase }: Envelope): void {
    if (stepDefinition !== undefined) this.patterns.set(stepDefinition.id, stepDefinition.pattern.source);
    if (pickle !== undefined) this.pickles.set(pickle.id, pickle);
    const used = this.pickles.get(testCase?.pickleId ?? '');
    if (testCase === undefined || used === undefined) return;
    const texts = new Map(used.steps.map(({ id, text }) => [id, text]));
    for (const { pickleStepId = '', stepDefinitionIds = [] } of testCase.testSteps) {
      const use = { place: `${used.uri}:${used.location?.line ?? 0}`, text: texts.get(pickleStepId) ?? '' };
      for (const id of stepDefinitionIds) {
        const uses = this.uses.get(id) ?? [];
        this.uses.set(id, uses);
        uses.push(use);
      }
    }
  }

  /** By their patterns in the order of the alphabet. */
  get steps(): readonly ListedStep[] {
    return [...this.patterns]
      .map(([id, pattern]) => ({ pattern, uses: this.uses.get(id) ?? [] }))
      .sort((a, b) => a.pattern.localeCompare(b.pattern));
  }
}
