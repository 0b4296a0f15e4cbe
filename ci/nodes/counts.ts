/** The outcome of a run of tests. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const none: Counts = { passed: 0, failed: 0, skipped: 0 };

const sum = (pairs: Iterable<readonly [kind: keyof Counts, count: number]>): Counts => {
  const counts = { ...none };
  for (const [kind, count] of pairs) counts[kind] += count;
  return counts;
};

const MOCHA: Readonly<Record<string, keyof Counts>> = {
  passing: 'passed',
  failing: 'failed',
  pending: 'skipped',
};

/** From the lines with which Mocha ends; undefined if there are none. */
export const mochaCounts = (printed: string): Counts | undefined => {
  const lines = [...printed.matchAll(/^ {2}(\d+) (passing|failing|pending)\b/gm)];
  if (lines.length === 0) return undefined;
  return sum(lines.map(([, count, word = '']) => [MOCHA[word] ?? 'failed', Number(count)]));
};

/** From the line `9 scenarios (1 failed, 8 passed)` of Cucumber; undefined if there is none. */
export const cucumberCounts = (printed: string): Counts | undefined => {
  const [, outcomes] = /^\d+ scenarios? \((.*)\)$/m.exec(printed) ?? [];
  if (outcomes === undefined) return undefined;
  const found = [...outcomes.matchAll(/(\d+) (\w+)/g)];
  return sum(
    found.map(([, count, word]) => [
      // Cucumber also calls a scenario undefined, ambiguous or pending: none of them did what it should.
      word === 'passed' || word === 'skipped' ? word : 'failed',
      Number(count),
    ]),
  );
};

export const countsText = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
