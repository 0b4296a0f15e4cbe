/** The scenarios that verify each line of the contracts, and their results on each bench. */
import { groupBy, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js';
import type { Outcome, Run, Status } from './run.js';
import type { Scenario } from './scenario.js';
import type { SignOff } from './sign-off.js';
import { verdictOf, type Judgement } from './verdict.js';

/** The signature of a bench, if it is for the latest run. */
export const validSignOff = ({ digest, signOff }: BenchRuns): SignOff | undefined =>
  signOff?.digest === digest ? signOff : undefined;

/** In the order of the columns. Folders with other names come after these. */
export const BENCHES = ['simulated', 'proxy', 'attach', 'bench', 'physical'] as const;

interface SeedLine {
  readonly tag: string;
  readonly line: string;
}

export interface Seed {
  /** `dice` or `clock`. */
  readonly name: string;
  readonly lines: readonly SeedLine[];
}

/** The runs on a bench. */
export interface BenchRuns {
  /** The folder of its reports. */
  readonly name: string;
  /** Oldest first. */
  readonly runs: readonly Run[];
  /** The reason why the runs cannot be read. */
  readonly trouble?: string;
  /** SHA-256 of the latest run's messages. */
  readonly digest?: string;
  /** The signature for the latest run, or for an earlier one. */
  readonly signOff?: SignOff;
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
  /** The result on each bench. */
  readonly results: ReadonlyMap<string, Result>;
}

export type LineState = 'verified' | 'failing' | 'unverified' | 'not claimed';

export interface LineResult extends Result {
  readonly state: LineState;
}

export interface ShownLine extends SeedLine {
  readonly scenarios: readonly ShownScenario[];
  /** The result on each bench. */
  readonly results: ReadonlyMap<string, LineResult>;
}

export interface Summary {
  readonly bench: BenchRuns;
  /** The judgement of the latest run; undefined for a bench without a run. */
  readonly judgement: Judgement | undefined;
  readonly lines: Readonly<Record<LineState, number>>;
  readonly scenarios: Readonly<Record<Result['status'], number>>;
}

export interface Coverage {
  readonly seeds: readonly { readonly name: string; readonly lines: readonly ShownLine[] }[];
  /** The scenarios without a line, by feature. */
  readonly beyond: readonly { readonly feature: string; readonly scenarios: readonly ShownScenario[] }[];
  readonly summaries: readonly Summary[];
}

/** Verified: at least one scenario passed and no scenario failed. */
const stateOf = ({ status }: Result): LineState =>
  status === 'passed' || status === 'flaky' ? 'verified' : status === 'failed' ? 'failing' : 'unverified';

/** The interface documents leave such a line to the contract, so the profile `seed` does not claim it. */
const DECIDED_BY_CONTRACT = '(decided by the contract).';

/** Whether a run claims that a line holds. */
const isClaimed = ({ facts }: Run, { line }: SeedLine, scenarios: readonly Scenario[]): boolean =>
  facts?.profile !== 'seed' ||
  (!line.endsWith(DECIDED_BY_CONTRACT) && scenarios.some(({ tags }) => tags.includes('@seed')));

const NOT_RUN: Result = { status: 'not run', reason: '', at: 0, passed: 0, total: 1 };

/** A group has the first of these statuses that occurs among its scenarios. */
const WEIGHT = ['failed', 'flaky', 'passed', 'skipped', 'not run'] as const;

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

export const hasPassed = ({ status }: Pick<Result, 'status'>): boolean =>
  status === 'passed' || status === 'flaky';

const resultOf = (outcome: Outcome | undefined): Result =>
  outcome === undefined ? NOT_RUN : { ...outcome, passed: hasPassed(outcome) ? 1 : 0, total: 1 };

type Outcomes = ReadonlyMap<string, Outcome>;

/** The last outcome of each scenario. */
const lastOutcomes = ({ runs }: BenchRuns): Outcomes =>
  new Map(runs.flatMap(({ outcomes }) => [...outcomes]));

/** The scenarios of each feature file as the newest run read it. */
const scenariosOf = (
  benches: readonly BenchRuns[],
  exists: (uri: string) => boolean,
): readonly Scenario[] => {
  const runs = benches.flatMap((bench) => bench.runs).sort((a, b) => a.startedAt - b.startedAt);
  const newest = new Map(runs.flatMap(({ features }) => [...features]));
  return [...newest]
    .filter(([uri]) => exists(uri) || runs.at(-1)?.features.has(uri))
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

const namesOf = (benches: readonly BenchRuns[]): ReadonlyMap<string, string> =>
  new Map(benches.flatMap(({ runs }) => runs).flatMap(({ featureNames }) => [...featureNames]));

/** The results of scenarios and lines on the benches. */
class Results {
  private readonly last: ReadonlyMap<string, Outcomes>;

  constructor(
    private readonly benches: readonly BenchRuns[],
    readonly scenarios: readonly Scenario[],
  ) {
    this.last = new Map(benches.map((bench) => [bench.name, lastOutcomes(bench)]));
  }

  of({ name }: BenchRuns, { key }: Scenario): Result {
    return resultOf(this.last.get(name)?.get(key));
  }

  shown(scenarios: readonly Scenario[]): readonly ShownScenario[] {
    return grouped(scenarios).map((group) => ({
      ...group[0],
      examples: group.length,
      results: this.perBench((bench) => combined(group.map((scenario) => this.of(bench, scenario)))),
    }));
  }

  line(line: SeedLine): ShownLine {
    const scenarios = this.taggedWith(line.tag);
    return {
      ...line,
      scenarios: this.shown(scenarios),
      results: this.perBench((bench) => {
        const result = combined(scenarios.map((scenario) => this.of(bench, scenario)));
        const latest = bench.runs.at(-1);
        const claimed = latest === undefined || isClaimed(latest, line, scenarios);
        return { ...result, state: claimed ? stateOf(result) : 'not claimed' };
      }),
    };
  }

  /** The verdict on the latest run of a bench. */
  judge(bench: BenchRuns, lines: readonly ShownLine[]): Judgement | undefined {
    const run = bench.runs.at(-1);
    if (run === undefined) return undefined;
    const stateIn = ({ results }: ShownLine): LineState => results.get(bench.name)?.state ?? 'unverified';
    const verifiedNow = ({ tag }: ShownLine): boolean =>
      this.taggedWith(tag).some(({ key }) => hasPassed(resultOf(run.outcomes.get(key))));
    const claimed = lines.filter((line) => stateIn(line) !== 'not claimed');
    return verdictOf({
      run,
      claimed: claimed.length,
      failing: lines.filter((line) => stateIn(line) === 'failing').map(({ tag }) => tag),
      unverified: claimed
        .filter((line) => stateIn(line) !== 'failing' && !verifiedNow(line))
        .map(({ tag }) => tag),
      remark: validSignOff(bench)?.remark ?? '',
    });
  }

  private taggedWith(tag: string): readonly Scenario[] {
    return this.scenarios.filter(({ tags }) => tags.includes(tag));
  }

  private perBench<A>(result: (bench: BenchRuns) => A): ReadonlyMap<string, A> {
    return new Map(this.benches.map((bench) => [bench.name, result(bench)]));
  }
}

/** `exists`: whether a feature file still exists. Results of a deleted file do not count. */
export const coverageOf = (
  seeds: readonly Seed[],
  benches: readonly BenchRuns[],
  exists: (uri: string) => boolean,
): Coverage => {
  const scenarios = scenariosOf(benches, exists);
  const results = new Results(benches, scenarios);
  const shownSeeds = seeds.map(({ name, lines }) => ({
    name,
    lines: lines.map((line) => results.line(line)),
  }));
  const lines = shownSeeds.flatMap((seed) => seed.lines);
  const tags = new Set(lines.map(({ tag }) => tag));
  const names = namesOf(benches);
  const beyond = groupBy(({ uri }: Scenario) => uri)(
    scenarios.filter((scenario) => !scenario.tags.some((tag) => tags.has(tag))),
  );
  return {
    seeds: shownSeeds,
    beyond: Object.entries(beyond).map(([uri, group]) => ({
      feature: names.get(uri) ?? uri,
      scenarios: results.shown(group),
    })),
    summaries: benches.map((bench) => ({
      bench,
      judgement: results.judge(bench, lines),
      lines: count(
        ['verified', 'failing', 'unverified', 'not claimed'],
        lines.map((line) => line.results.get(bench.name)?.state ?? 'unverified'),
      ),
      scenarios: count(
        ['passed', 'flaky', 'failed', 'skipped', 'not run'],
        scenarios.map((scenario) => results.of(bench, scenario).status),
      ),
    })),
  };
};
