/** The scenarios that verify each line of the contracts, and their results on each profile. */
import { groupBy, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js';
import type { Outcome, Run, Scenario, Status } from './run.js';

/** In the order of the columns. Folders with other names come after these. */
export const PROFILES = ['simulated', 'attach', 'bench', 'physical'] as const;

export interface SeedLine {
  readonly tag: string;
  readonly line: string;
}

export interface Seed {
  /** `dice` or `clock`. */
  readonly name: string;
  readonly lines: readonly SeedLine[];
}

export interface Profile {
  readonly name: string;
  /** Oldest first. */
  readonly runs: readonly Run[];
  /** The reason why the runs cannot be read. */
  readonly trouble?: string;
}

export interface Result {
  readonly status: Status | 'not run';
  readonly reason: string;
  /** The time of the latest end, in milliseconds since 1970; 0 for a scenario that was not run. */
  readonly at: number;
  /** Counts the examples of an outline, or the scenarios of a line. */
  readonly passed: number;
  readonly total: number;
}

/** A scenario, or an outline with all its examples. */
export interface ShownScenario {
  readonly uri: string;
  readonly line: number;
  readonly name: string;
  readonly examples: number;
  /** The result of each profile. */
  readonly results: ReadonlyMap<string, Result>;
}

export type LineState = 'verified' | 'failing' | 'unverified';

export interface ShownLine extends SeedLine {
  readonly scenarios: readonly ShownScenario[];
  /** The result of each profile. */
  readonly results: ReadonlyMap<string, Result>;
}

export interface Summary {
  readonly profile: Profile;
  readonly lines: Readonly<Record<LineState, number>>;
  readonly scenarios: Readonly<Record<Result['status'], number>>;
}

export interface Coverage {
  readonly seeds: readonly { readonly name: string; readonly lines: readonly ShownLine[] }[];
  readonly summaries: readonly Summary[];
}

/** Verified: at least one scenario passed and no scenario failed. */
export const stateOf = ({ status }: Result): LineState =>
  status === 'passed' ? 'verified' : status === 'failed' ? 'failing' : 'unverified';

const NOT_RUN: Result = { status: 'not run', reason: '', at: 0, passed: 0, total: 1 };

/** A group has the first of these statuses that occurs among its scenarios. */
const WEIGHT = ['failed', 'passed', 'skipped', 'not run'] as const;

const combined = (results: readonly Result[]): Result => {
  const status = WEIGHT.find((weight) => results.some((result) => result.status === weight)) ?? 'not run';
  const sum = (count: (result: Result) => number): number =>
    results.reduce((total, result) => total + count(result), 0);
  return {
    status,
    reason: results.find((result) => result.status === status)?.reason ?? '',
    at: results.reduce((latest, { at }) => Math.max(latest, at), 0),
    passed: sum(({ passed }) => passed),
    total: sum(({ total }) => total),
  };
};

const resultOf = (outcome: Outcome | undefined): Result =>
  outcome === undefined ? NOT_RUN : { ...outcome, passed: outcome.status === 'passed' ? 1 : 0, total: 1 };

/** The last outcome of each scenario. */
const lastOutcomes = ({ runs }: Profile): ReadonlyMap<string, Outcome> =>
  new Map(runs.flatMap(({ outcomes }) => [...outcomes]));

/** The scenarios of each feature file as the newest run read it. */
const scenariosOf = (profiles: readonly Profile[], exists: (uri: string) => boolean): readonly Scenario[] => {
  const runs = profiles.flatMap((profile) => profile.runs).sort((a, b) => a.startedAt - b.startedAt);
  const newest = new Map(runs.flatMap(({ features }) => [...features]));
  return [...newest]
    .filter(([uri]) => exists(uri))
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([, scenarios]) => scenarios);
};

const grouped = (scenarios: readonly Scenario[]): readonly NonEmptyArray<Scenario>[] =>
  Object.values(groupBy(({ uri, name }: Scenario) => `${uri} ${name}`)([...scenarios]));

const count = <K extends string>(names: readonly K[], values: readonly K[]): Readonly<Record<K, number>> =>
  Object.fromEntries(names.map((name) => [name, values.filter((value) => value === name).length])) as Record<
    K,
    number
  >;

/** `exists`: whether a feature file still exists. Results of a deleted file do not count. */
export const coverageOf = (
  seeds: readonly Seed[],
  profiles: readonly Profile[],
  exists: (uri: string) => boolean,
): Coverage => {
  const scenarios = scenariosOf(profiles, exists);
  const last = new Map(profiles.map((profile) => [profile.name, lastOutcomes(profile)]));
  const perProfile = (result: (name: string) => Result): ReadonlyMap<string, Result> =>
    new Map(profiles.map(({ name }) => [name, result(name)]));
  const outcome = (profile: string, { key }: Scenario): Result => resultOf(last.get(profile)?.get(key));

  const shownScenario = (group: NonEmptyArray<Scenario>): ShownScenario => ({
    ...group[0],
    examples: group.length,
    results: perProfile((name) => combined(group.map((scenario) => outcome(name, scenario)))),
  });
  const shownLine = (line: SeedLine): ShownLine => {
    const shown = grouped(scenarios.filter(({ tags }) => tags.includes(line.tag))).map(shownScenario);
    return {
      ...line,
      scenarios: shown,
      results: perProfile((name) => combined(shown.map(({ results }) => results.get(name) ?? NOT_RUN))),
    };
  };

  const shownSeeds = seeds.map(({ name, lines }) => ({ name, lines: lines.map(shownLine) }));
  return {
    seeds: shownSeeds,
    summaries: profiles.map((profile) => ({
      profile,
      lines: count(
        ['verified', 'failing', 'unverified'],
        shownSeeds.flatMap(({ lines }) =>
          lines.map(({ results }) => stateOf(results.get(profile.name) ?? NOT_RUN)),
        ),
      ),
      scenarios: count(
        ['passed', 'failed', 'skipped', 'not run'],
        scenarios.map((scenario) => outcome(profile.name, scenario).status),
      ),
    })),
  };
};
