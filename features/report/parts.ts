/** Runs in several parts: a run that was interrupted, and the runs that continue it. */
import type { Run } from './run.js';

/** Of the parts of a run, the later one decides. Scenarios that have changed in the meantime are those of the later one. */
const merged = (earlier: Run, later: Run): Run => ({
  facts: later.facts,
  devices: [...earlier.devices, ...later.devices],
  startedAt: earlier.startedAt,
  finishedAt: later.finishedAt,
  interrupted: later.interrupted,
  success: later.success && [...earlier.outcomes.values()].every(({ status }) => status !== 'failed'),
  features: new Map([...earlier.features, ...later.features]),
  featureNames: new Map([...earlier.featureNames, ...later.featureNames]),
  planned: [...earlier.planned.filter(({ key }) => earlier.outcomes.has(key)), ...later.planned],
  outcomes: new Map([...earlier.outcomes, ...later.outcomes]),
  troubles: [...earlier.troubles, ...later.troubles],
  findings: [...earlier.findings, ...later.findings],
  remarks: [...earlier.remarks, ...later.remarks],
  steps: later.steps,
});

/** One run for all parts of a run. `runs`: oldest first. */
export const joined = (runs: readonly Run[]): readonly Run[] => {
  const groups: Run[][] = [];
  for (const run of runs) {
    const continues = run.facts?.continues;
    const group = groups.find((parts) => parts.some(({ startedAt }) => startedAt === continues));
    if (group === undefined) groups.push([run]);
    else group.push(run);
  }
  return groups.map((parts) => parts.reduce(merged));
};
