/** The rest of an interrupted run. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { publishInterrupted, readRuns } from './folder.js';
import type { Run } from './run.js';
import type { Scenario } from './scenario.js';

/** The rest of an interrupted run. */
export interface Rest {
  /** The start of the run, in milliseconds since 1970. */
  readonly continues: number;
  /** The arguments that narrowed the run. */
  readonly selection: readonly string[];
  /** The scenarios without a result, as the run read them. */
  readonly scenarios: readonly Scenario[];
  /** The feature files of these scenarios, absolute. */
  readonly files: readonly string[];
}

/** The scenarios of a run without a result. `folder`: the folder to which the places of feature files are relative. */
export const restOf = ({ startedAt, facts, planned, outcomes }: Run, folder: string): Rest => {
  const scenarios = planned.filter(({ key }) => !outcomes.has(key));
  const files = [...new Set(scenarios.map(({ uri }) => resolve(folder, uri)))].filter((file) =>
    existsSync(file),
  );
  return { continues: startedAt, selection: facts?.selection ?? [], scenarios, files };
};

/**
 * The rest of the latest run on a bench. `folder`: the folder to which the places of feature files are relative. Left is the
 * reason, a sentence, why there is nothing to resume.
 */
export const remainingScenarios = (
  reports: string,
  bench: string,
  folder: string,
): E.Either<string, Rest> => {
  publishInterrupted(join(reports, bench));
  return pipe(
    readRuns(join(reports, bench)),
    E.chain((runs) => {
      const latest = runs.at(-1)?.run;
      if (latest === undefined)
        return E.left(`there is nothing to resume: ${join(reports, bench)} has no run`);
      const rest = restOf(latest, folder);
      if (rest.scenarios.length === 0)
        return E.left('there is nothing to resume: each scenario of the last run has a result');
      if (rest.files.length === 0)
        return E.left('there is nothing to resume: the feature files of the last run no longer exist');
      return E.right(rest);
    }),
  );
};

export type Named = Pick<Scenario, 'key' | 'uri' | 'name'>;

/** The scenarios of a rest among those of today. A scenario whose steps have changed is the one with its name. */
export const stillRemaining = <A>(
  rest: readonly Named[],
  today: readonly A[],
  scenario: (of: A) => Named,
): readonly A[] => {
  const keys = new Set(today.map((of) => scenario(of).key));
  const remaining = new Set(rest.map(({ key }) => key));
  const changed = rest.filter(({ key }) => !keys.has(key));
  return today.filter((of) => {
    const { key, uri, name } = scenario(of);
    return remaining.has(key) || changed.some((other) => other.uri === uri && other.name === name);
  });
};
