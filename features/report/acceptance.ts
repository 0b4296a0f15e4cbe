/** Writes `acceptance.html` from the reports of all benches, and the JUnit XML of each. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as t from 'io-ts';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { KINDS } from '../../src/contract/kinds.js';
import { packageFile } from '../../src/system/package.js';
import {
  BENCHES,
  coverageOf,
  validSignOff,
  type BenchRuns,
  type Coverage,
  type Seed,
  type Summary,
} from './coverage.js';
import { junitOf } from './junit.js';
import { joined, partsOf } from './parts.js';
import { benchesIn, readRuns } from './folder.js';
import { acceptancePage } from './page/index.js';
import { digestOf, readSignOff, writeSignOff, type Signer, type SignOff } from './sign-off.js';
import type { Judgement } from './verdict.js';

const SeedLines = t.record(t.string, t.string);

const readSeed = (name: string): Seed => {
  const file = packageFile(`features/${name}/seed-lines.json`);
  const lines = SeedLines.decode(JSON.parse(readFileSync(file, 'utf8')));
  if (E.isLeft(lines)) throw new Error(`${file} must be an object with the text of each line by its tag`);
  return { name, lines: Object.entries(lines.right).map(([tag, line]) => ({ tag, line })) };
};

export const readBench = (reports: string, name: string): BenchRuns =>
  pipe(
    E.Do,
    E.apS('recorded', readRuns(join(reports, name))),
    E.apS('signOff', readSignOff(join(reports, name))),
    E.match(
      (trouble): BenchRuns => ({ name, runs: [], trouble }),
      ({ recorded, signOff }) => {
        const runs = partsOf(recorded);
        const latest = runs.at(-1);
        return {
          name,
          runs: runs.map(joined),
          ...(latest === undefined ? {} : { digest: digestOf(latest.map(({ file }) => file)) }),
          ...(signOff === undefined ? {} : { signOff }),
        };
      },
    ),
  );

const rank = (name: string): number => {
  const at = BENCHES.findIndex((bench) => bench === name);
  return at < 0 ? BENCHES.length : at;
};

/** The benches with messages: those of the project, then others by their names. */
export const readBenches = (reports: string): readonly BenchRuns[] =>
  benchesIn(reports)
    .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => readBench(reports, name));

/** The bench with the newest run. */
export const newest = (benches: readonly BenchRuns[]): BenchRuns | undefined =>
  benches
    .filter(({ runs }) => runs.length > 0)
    .toSorted((a, b) => (b.runs.at(-1)?.startedAt ?? 0) - (a.runs.at(-1)?.startedAt ?? 0))[0];

export const readCoverage = (benches: readonly BenchRuns[]): Coverage =>
  coverageOf(KINDS.map(readSeed), benches, (uri) => existsSync(packageFile(uri)));

export interface Written {
  readonly file: string;
  readonly bench: string;
  readonly judgement: Judgement;
  /** The signature for the same run that a new one has replaced. */
  readonly replaced?: SignOff | undefined;
}

/** Writes the JUnit XML of the latest run on a bench; of damaged messages, none. */
const writeJunit = (reports: string, { bench, judgement }: Summary): void => {
  const file = join(reports, bench.name, 'junit.xml');
  const latest = bench.runs.at(-1);
  if (latest === undefined || judgement === undefined) rmSync(file, { force: true });
  else writeFileSync(file, junitOf(latest, `airbench ${bench.name}`, judgement.verdict));
};

/** Writes the page with `bench` in its head, and JUnit XML of the benches in `concluded`. */
const write = (
  reports: string,
  benches: readonly BenchRuns[],
  bench: string,
  concluded: readonly string[],
): E.Either<string, Written> => {
  const coverage = readCoverage(benches);
  for (const summary of coverage.summaries)
    if (concluded.includes(summary.bench.name)) writeJunit(reports, summary);
  const judgement = coverage.summaries.find((summary) => summary.bench.name === bench)?.judgement;
  if (judgement === undefined) return E.left(`${join(reports, bench)} holds no run`);
  const file = join(reports, 'acceptance.html');
  mkdirSync(reports, { recursive: true });
  // Another run may write the page at the same time.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, acceptancePage({ coverage, shown: bench, madeAt: Date.now() }));
  renameSync(draft, file);
  return E.right({ file, bench, judgement });
};

/**
 * Writes the page with the latest run of `bench` in its head, and the JUnit XML of this run. Benches with damaged messages
 * are on the page.
 */
export const writeAcceptance = (reports: string, bench: string): E.Either<string, Written> =>
  write(reports, readBenches(reports), bench, [bench]);

/**
 * Writes the page again, with the newest run in its head, and the JUnit XML of all benches. Left: a message about damaged
 * or missing messages.
 */
export const rewriteAcceptance = (reports: string): E.Either<string, Written> => {
  const benches = readBenches(reports);
  const trouble = benches.find((bench) => bench.trouble !== undefined)?.trouble;
  const bench = newest(benches);
  if (trouble !== undefined) return E.left(trouble);
  if (bench === undefined) return E.left(`${reports} holds no messages of any bench: run the features first`);
  return write(
    reports,
    benches,
    bench.name,
    benches.map(({ name }) => name),
  );
};

/** Signs for the latest run of a bench, and writes the page again. */
export const signOff = (reports: string, bench: string, signer: Signer): E.Either<string, Written> => {
  const before = writeAcceptance(reports, bench);
  if (E.isLeft(before)) return before;
  const runs = readBench(reports, bench);
  const replaced = validSignOff(runs);
  writeSignOff(join(reports, bench), signer, runs.digest ?? '');
  return E.map((written: Written) => ({ ...written, replaced }))(writeAcceptance(reports, bench));
};
