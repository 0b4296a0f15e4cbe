/** The changes between two runs. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { newest, readBench, readBenches, readCoverage } from './acceptance.js';
import { hasPassed, type BenchRuns, type ShownLine } from './coverage.js';
import { MESSAGES, publishAllInterrupted, readRecordedRun } from './folder.js';
import { nounOf, type DeviceFacts, type RunFacts } from './facts.js';
import { shortReason } from './reason.js';
import type { Outcome, Run } from './run.js';
import type { Scenario } from './scenario.js';
import { minute } from './times.js';
import { VERDICTS, type Judgement } from './verdict.js';

/** A run to compare, without the runs before it. */
interface Compared {
  readonly title: string;
  readonly run: Run;
  readonly facts: RunFacts;
  readonly judgement: Judgement;
  readonly lines: readonly ShownLine[];
}

const BENCH = 'compared';

const comparedRun = (title: string, run: Run): E.Either<string, Compared> => {
  const bench: BenchRuns = { name: BENCH, runs: [run] };
  const { seeds, summaries } = readCoverage([bench]);
  const judgement = summaries[0]?.judgement;
  if (run.facts === undefined || judgement === undefined)
    return E.left(`${title} holds no run that started a scenario`);
  return E.right({ title, run, facts: run.facts, judgement, lines: seeds.flatMap(({ lines }) => lines) });
};

/** The run of a file of messages, the latest of a bench's folder, or the newest of a folder of reports. Left is a message. */
export const readCompared = (path: string): E.Either<string, Compared> => {
  if (!existsSync(path)) return E.left(`${path} does not exist`);
  if (!statSync(path).isDirectory())
    return pipe(
      readRecordedRun(path),
      E.chain(({ run }) => comparedRun(path, run)),
    );
  const isBench = existsSync(join(path, MESSAGES));
  if (!isBench) publishAllInterrupted(path);
  const benches = isBench ? [readBench(path, '.')] : readBenches(path);
  const trouble = benches.find((bench) => bench.trouble !== undefined)?.trouble;
  if (trouble !== undefined) return E.left(trouble);
  const bench = newest(benches);
  const run = bench?.runs.at(-1);
  return bench === undefined || run === undefined
    ? E.left(`${path} is no folder of reports, folder of a bench or file of messages`)
    : comparedRun(join(path, bench.name), run);
};

interface Comparison {
  readonly lines: readonly string[];
  /** Whether the second run is worse: in its verdict, a line, or a scenario that fails or is flaky now. */
  readonly worse: boolean;
}

const ABSENT = 'not in the run';

interface Change {
  readonly text: string;
  readonly worse?: boolean;
}

const worseFirst = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => Number(b.worse) - Number(a.worse));

const changed = (what: string, before: string, after: string, worse = false): readonly Change[] =>
  before === after ? [] : [{ text: `${what}: ${before} → ${after}`, worse }];

const commitIn = (version: string, commit: string | null): string =>
  commit === null ? version : `${version} (${commit})`;

const versions = ({ facts: a }: Compared, { facts: b }: Compared): readonly Change[] => {
  const serverIn = ({ servers }: RunFacts, name: string): string => {
    const server = servers.find((candidate) => candidate.name === name);
    if (server === undefined) return ABSENT;
    return server.about === null
      ? 'of unknown version'
      : `${server.about.name} ${commitIn(server.about.version, server.about.commit)}`;
  };
  const names = [...new Set([...a.servers, ...b.servers].map(({ name }) => name))];
  const tester = ({ tester: { airbench, commit } }: RunFacts): string => commitIn(airbench, commit);
  const selection = ({ selection: list }: RunFacts): string =>
    list.length === 0 ? 'the whole suite' : list.join(' ');
  return [
    ...changed('bench', a.bench, b.bench),
    ...changed('profile', a.profile, b.profile),
    ...names.flatMap((name) => changed(name, serverIn(a, name), serverIn(b, name))),
    ...changed('tester’s airbench', tester(a), tester(b)),
    ...changed('selection', selection(a), selection(b)),
  ];
};

/** Virtual devices have other addresses in each run; their kinds are compared. */
const devicesOf = ({ run, facts }: Compared): ReadonlyMap<string, string> => {
  const name = (device: DeviceFacts): string =>
    facts.seed === null
      ? `${nounOf(device)} ${device.address}`
      : [nounOf(device), device.maker, device.firmware].filter((part) => part !== null).join(' ');
  const met = [...run.devices].sort((a, b) => Number(a.met) - Number(b.met));
  return new Map(
    met.map((device) => [
      name(device),
      device.met ? `firmware ${device.firmware ?? 'unknown'}` : 'not heard',
    ]),
  );
};

const devices = (a: Compared, b: Compared): readonly Change[] => {
  const [before, after] = [devicesOf(a), devicesOf(b)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) =>
    changed(name, before.get(name) ?? ABSENT, after.get(name) ?? ABSENT),
  );
};

const lines = (a: Compared, b: Compared): readonly Change[] =>
  worseFirst(
    b.lines.flatMap(({ tag, line, results }) => {
      const before =
        a.lines.find((candidate) => candidate.tag === tag)?.results.get(BENCH)?.state ?? 'unverified';
      const after = results.get(BENCH)?.state ?? 'unverified';
      const worse = after === 'failing' || (before === 'verified' && after === 'unverified');
      return changed(`${tag} ${line}`, before, after, worse);
    }),
  );

const GROUPS = {
  failing: 'newly failing',
  mended: 'mended',
  flaky: 'newly flaky',
  skipped: 'newly skipped',
  added: 'new',
  gone: 'gone',
} as const;

type Group = keyof typeof GROUPS;

/** The group of a scenario; undefined if nothing changed. */
const groupOf = (before: Outcome | undefined, after: Outcome | undefined): Group | undefined => {
  if (before?.status === after?.status) return undefined;
  if (after === undefined) return 'gone';
  if (after.status === 'failed') return 'failing';
  if (before === undefined) return 'added';
  if (after.status === 'flaky' && before.status !== 'failed') return 'flaky';
  if (after.status === 'skipped') return 'skipped';
  return hasPassed(after) ? 'mended' : undefined;
};

const scenarios = ({ run: a }: Compared, { run: b }: Compared): readonly Change[] => {
  const all = new Map<string, Scenario>(
    [...a.planned, ...b.planned].map((scenario) => [scenario.key, scenario]),
  );
  const grouped = [...all.values()].map((scenario) => {
    const after = b.outcomes.get(scenario.key);
    return { scenario, after, group: groupOf(a.outcomes.get(scenario.key), after) };
  });
  return (Object.keys(GROUPS) as Group[]).flatMap((group) =>
    grouped
      .filter((change) => change.group === group)
      .map(({ scenario: { name, uri, line }, after }) => {
        const reason =
          after?.reason === undefined || after.reason === '' ? '' : `: ${shortReason(after.reason)}`;
        const text = `${GROUPS[group]}: ${name} (${uri}:${line})${reason.replaceAll('\n', '; ')}`;
        return { text, worse: group === 'failing' || group === 'flaky' };
      }),
  );
};

const verdicts = (a: Compared, b: Compared): readonly Change[] => {
  const [before, after] = [a.judgement.verdict, b.judgement.verdict];
  return changed('verdict', before, after, VERDICTS.indexOf(after) < VERDICTS.indexOf(before));
};

const PARTS: readonly (readonly [string, (a: Compared, b: Compared) => readonly Change[]])[] = [
  ['Verdict', verdicts],
  ['Versions and selection', versions],
  ['Devices', devices],
  ['Lines of the interface documents', lines],
  ['Scenarios', scenarios],
];

const head = (letter: string, { title, run, judgement }: Compared): string =>
  `${letter}: ${title}, run of ${minute(run.startedAt)} UTC: ${judgement.verdict}`;

export const compare = (a: Compared, b: Compared): Comparison => {
  const parts = PARTS.map(([title, changesOf]) => ({ title, changes: changesOf(a, b) })).filter(
    ({ changes }) => changes.length > 0,
  );
  const shown = parts.flatMap(({ title, changes }) => ['', title, ...changes.map(({ text }) => `  ${text}`)]);
  return {
    lines: [head('A', a), head('B', b), ...(parts.length === 0 ? ['', 'no difference'] : shown)],
    worse: parts.some(({ changes }) => changes.some(({ worse }) => worse === true)),
  };
};
