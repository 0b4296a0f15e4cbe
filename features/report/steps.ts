/** The steps that scenarios may use, with the places of their uses, from the messages of a run. */
import type { Envelope } from './messages.js';

export interface StepUse {
  /** `features/dice/scan.feature:6` */
  readonly place: string;
  readonly text: string;
}

/** The use of a step, as in most scenarios. */
export type StepGroup = 'Given' | 'When' | 'Then' | 'unused';

export interface ListedStep {
  /** The text as in a feature file, with `{int}` and the like for values, `[…]` for optional words and `(a|b)` for alternatives. */
  readonly pattern: string;
  readonly group: StepGroup;
  readonly uses: readonly StepUse[];
}

const GROUPS: Readonly<Record<string, StepGroup>> = { Context: 'Given', Action: 'When', Outcome: 'Then' };

const READABLE: readonly (readonly [part: RegExp, text: string])[] = [
  [/^\^|\$$/g, ''],
  [/\(\?!.*?\)/g, ''],
  [/"\(\[\^"\]\+\)"|"\(\.\+\)"|\(".\+"\)|\("\.\+\)/g, '{string}'],
  [/\(?"\\w\+"(?: and "\\w\+"\))?/g, '{string}'],
  [/\(-?\??\\d\+\)|\\d\+|\(\[\\d\.\]\+\)/g, '{int}'],
  [/\(\\w\+\)|\(\\S\+\)|\\w\+|\\S\+/g, '{word}'],
  [/\(\\\{\.\*\\\}\)|\(\[\{\[\]\.\*\)/g, '{json}'],
  [/\(\.\+\)|\(\[\\d, \]\+\\d\)/g, '{text}'],
  [/\(\?:/g, '('],
  [/\(([^()]*)\)\?/g, '[$1]'],
  [/\((\([^()]*\)[^()]*)\)\?/g, '[$1]'],
  [/\\(.)/g, '$1'],
];

/** A pattern for readers who do not write regular expressions. */
export const readable = (source: string, type: string): string =>
  type === 'REGULAR_EXPRESSION'
    ? READABLE.reduce((text, [part, replacement]) => text.replace(part, replacement), source)
    : source.replaceAll('{}', '{text}');

/** The value that occurs most often; undefined for none. */
const mostFrequent = <A>(values: readonly A[]): A | undefined => {
  const count = (value: A): number => values.filter((other) => other === value).length;
  return [...new Set(values)].sort((a, b) => count(b) - count(a))[0];
};

interface TypedUse extends StepUse {
  readonly type: string;
}

export class StepReader {
  private readonly patterns = new Map<string, string>();
  private readonly uses = new Map<string, TypedUse[]>();
  private readonly pickles = new Map<string, NonNullable<Envelope['pickle']>>();

  read({ stepDefinition, pickle, testCase }: Envelope): void {
    if (stepDefinition !== undefined) {
      const { id, pattern } = stepDefinition;
      this.patterns.set(id, readable(pattern.source, pattern.type));
    }
    if (pickle !== undefined) this.pickles.set(pickle.id, pickle);
    const used = this.pickles.get(testCase?.pickleId ?? '');
    if (testCase === undefined || used === undefined) return;
    const steps = new Map(used.steps.map((step) => [step.id, step]));
    for (const { pickleStepId = '', stepDefinitionIds = [] } of testCase.testSteps) {
      const { text = '', type = '' } = steps.get(pickleStepId) ?? {};
      const use = { place: `${used.uri}:${used.location?.line ?? 0}`, text, type };
      for (const id of stepDefinitionIds) {
        const uses = this.uses.get(id) ?? [];
        this.uses.set(id, uses);
        uses.push(use);
      }
    }
  }

  /** The steps, in the alphabetical order of their patterns. */
  get steps(): readonly ListedStep[] {
    return [...this.patterns]
      .map(([id, pattern]): ListedStep => {
        const uses = this.uses.get(id) ?? [];
        const group = GROUPS[mostFrequent(uses.map(({ type }) => type)) ?? ''] ?? 'unused';
        return { pattern, group, uses: uses.map(({ place, text }) => ({ place, text })) };
      })
      .sort((a, b) => a.pattern.localeCompare(b.pattern));
  }
}
