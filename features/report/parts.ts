/** Runs in several parts: a run that was interrupted, and the runs that continue it. */
import type { Run } from './run.js';

/** The later part of a run decides about scenarios of both parts, and has the current text of changed scenarios. */
const merged = (earlier: Run, later: Run): Run => ({
  facts: later.facts,
  devices: [...earlier.devices, ...later.devices],
  startedAt: earlier.startedAt,
  finishedAt: later.finishedAt,
  interrupted: later.interrupted,
  features: new Map([...earlier.features, ...later.features]),
  featureNames: new Map([...earlier.featureNames, ...later.featureNames]),
  planned: [...earlier.planned.filter(({ key }) => earlier.outcomes.has(key)), ...later.planned],
  outcomes: new Map([...earlier.outcomes, ...later.outcomes]),
  troubles: [...earlier.troubles, ...later.troubles],
  findings: [...earlier.findings, ...later.findings],
  remarks: [...earlier.remarks, ...later.remarks],
  steps: later.steps,
});

interface Part {
  readonly run: Run;
}

/** The messages of each run, part by part. `recorded`: oldest first. */
export const partsOf = <A extends Part>(recorded: readonly A[]): readonly (readonly A[])[] => {
  const groups: A[][] = [];
  for (const part of recorded) {
    const continues = part.run.facts?.continues;
    const group = groups.find((parts) => parts.some(({ run }) => run.startedAt === continues));
    if (group === undefined) groups.push([part]);
    else group.push(part);
  }
  return groups;
};

/** One run for all its parts. */
export const joined = (parts: readonly Part[]): Run => parts.map(({ run }) => run).reduce(merged);
