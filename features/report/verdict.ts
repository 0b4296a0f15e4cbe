/** The verdict on a run, by rules that the report shows. */
import { groupBy } from 'fp-ts/lib/NonEmptyArray.js';
import { nounOf, type DeviceFacts } from './facts.js';
import type { Run, Status } from './run.js';
import { scenarioId, type Scenario } from './scenario.js';

/** From the worst to the best. */
export const VERDICTS = ['not accepted', 'partly verified', 'accepted with remarks', 'accepted'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The subject of a verdict. */
export interface Evidence {
  readonly run: Run;
  /** The tags of claimed lines that fail by their last results. */
  readonly failing: readonly string[];
  /** The tags of claimed lines of which no scenario passed in the run. */
  readonly unverified: readonly string[];
  /** The number of claimed lines. */
  readonly claimed: number;
  /** The remark of the sign-off; empty without one. */
  readonly remark: string;
}

/** A scenario, line, server or device that a reason names. */
export interface Named {
  readonly name: string;
  /** The id of its place on the page; empty without one. */
  readonly id: string;
}

/** A fact that a rule holds against the run. */
export interface Reason {
  readonly text: string;
  readonly about: readonly Named[];
}

interface Rule {
  readonly text: string;
  readonly reasons: (evidence: Evidence) => readonly Reason[];
}

export interface Judgement {
  readonly verdict: Verdict;
  /** The reasons of the verdict. */
  readonly reasons: readonly Reason[];
  /** The reasons of the better verdicts, which also apply. */
  readonly further: readonly Reason[];
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const named = (names: readonly string[]): readonly Named[] => names.map((name) => ({ name, id: '' }));

const linesNamed = (tags: readonly string[]): readonly Named[] =>
  tags.map((tag) => ({ name: tag, id: tag.slice(1) }));

const reasonAbout = (
  about: readonly Named[],
  text: (count: string) => string,
  one: string,
): readonly Reason[] => (about.length === 0 ? [] : [{ text: text(plural(about.length, one)), about }]);

const simply = (applies: boolean, text: string): readonly Reason[] => (applies ? [{ text, about: [] }] : []);

const isAre = (about: readonly unknown[]): string => (about.length === 1 ? 'is' : 'are');

const scenariosWith = ({ outcomes }: Run, status: Status): number =>
  [...outcomes.values()].filter((outcome) => outcome.status === status).length;

const scenarios = ({ outcomes, planned }: Run, status: Status, what: string): readonly Reason[] =>
  reasonAbout(
    planned
      .filter(({ key }) => outcomes.get(key)?.status === status)
      .map((scenario) => ({ name: scenario.name, id: scenarioId(scenario) })),
    (count) => `${count} ${what}`,
    'scenario',
  );

/** Names the reasons of the skips, the most frequent one first. */
const skips = (run: Run): readonly Reason[] => {
  const reasons = run.planned
    .flatMap(({ key }) => run.outcomes.get(key) ?? [])
    .filter(({ status }) => status === 'skipped')
    .map(({ reason }) => (reason === '' ? 'no reason given' : reason));
  if (reasons.length === 0) return [];
  const groups = Object.entries(groupBy((reason: string) => reason)(reasons));
  const about = groups
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, group]) => `${reason} (${group.length})`);
  return [{ text: `${plural(reasons.length, 'scenario')} skipped`, about: named(about) }];
};

const unfinished = ({ planned, outcomes }: Run): readonly Scenario[] =>
  planned.filter(({ key }) => !outcomes.has(key));

const deviceName = (device: DeviceFacts): string =>
  [nounOf(device), device.name ?? '', device.address].filter((part) => part !== '').join(' ');

/** The devices that no report of the run met. */
export const notMet = ({ devices }: Run): readonly DeviceFacts[] =>
  devices.filter(
    ({ address, met }) => !met && !devices.some((other) => other.met && other.address === address),
  );

const ended = (run: Run): readonly Reason[] => {
  const missing = unfinished(run).length;
  if (missing > 0)
    return simply(
      true,
      `the run ended before its last scenario: ${missing} of ${run.planned.length} have no result`,
    );
  return simply(run.interrupted, 'the run was interrupted');
};

const AGAINST: readonly Rule[] = [
  {
    text: 'a claimed line of the interface documents or a scenario failed',
    reasons: ({ run, failing }) => [
      ...scenarios(run, 'failed', 'failed'),
      ...reasonAbout(
        linesNamed(failing),
        (count) => `${count} ${failing.length === 1 ? 'fails' : 'fail'}`,
        'claimed line',
      ),
    ],
  },
  {
    text: 'something failed outside any scenario',
    reasons: ({ run: { troubles } }) =>
      troubles.map((text) => ({ text: 'a failure outside any scenario', about: named([text]) })),
  },
  { text: 'the run ended before its last scenario', reasons: ({ run }) => ended(run) },
  {
    text: 'no scenario passed',
    reasons: ({ run }) =>
      simply(scenariosWith(run, 'passed') + scenariosWith(run, 'flaky') === 0, 'no scenario passed'),
  },
  {
    text: 'a tested server changed its version or commit during the run',
    reasons: ({ run: { findings } }) =>
      findings
        .filter(({ changedVersion }) => changedVersion === true)
        .map(({ text }) => ({ text, about: [] })),
  },
];

/** The servers under test whose commit fits: undefined without an answer, empty if the server does not know it. */
const servers = ({ facts }: Run, fits: (commit: string | undefined) => boolean): readonly Named[] =>
  named(
    (facts?.servers ?? [])
      .filter(({ name }) => name !== 'control API')
      .filter(({ about }) => fits(about === null ? undefined : (about.commit ?? '')))
      .map(({ name }) => name),
  );

const PARTLY: readonly Rule[] = [
  {
    text: 'a claimed line was not verified by the run',
    reasons: ({ unverified, claimed }) =>
      unverified.length === 0
        ? []
        : [
            {
              text: `${unverified.length} of ${plural(claimed, 'claimed line')} ${isAre(unverified)} not verified by this run`,
              about: linesNamed(unverified),
            },
          ],
  },
  {
    text: 'the run was narrowed to a part of the scenarios',
    reasons: ({ run: { facts, planned } }) => {
      const selection = facts?.selection ?? [];
      const text = `the run was narrowed to ${plural(planned.length, 'scenario')}`;
      return selection.length === 0 ? [] : [{ text, about: named([selection.join(' ')]) }];
    },
  },
];

const REMARKS: readonly Rule[] = [
  {
    text: 'a scenario passed at a later attempt only (flaky) or was skipped',
    reasons: ({ run }) => [...scenarios(run, 'flaky', 'passed at a later attempt only'), ...skips(run)],
  },
  {
    text: 'the run made a finding, such as a restarted server',
    reasons: ({ run: { findings } }) =>
      findings
        .filter(({ changedVersion }) => changedVersion !== true)
        .map(({ text }) => ({ text, about: [] })),
  },
  {
    text: 'a tested server does not say its version, or was built with uncommitted changes (its commit ends with -dirty)',
    reasons: ({ run }) => {
      const unknown = servers(run, (commit) => commit === undefined);
      const dirty = servers(run, (commit) => commit?.endsWith('-dirty') === true);
      return [
        ...reasonAbout(unknown, (count) => `the version of ${count} is unknown`, 'server'),
        ...reasonAbout(
          dirty,
          (count) => `${count} ${dirty.length === 1 ? 'was' : 'were'} built with uncommitted changes`,
          'server',
        ),
      ];
    },
  },
  {
    text: 'no server heard a device of the bench',
    reasons: ({ run }) =>
      reasonAbout(
        named(notMet(run).map(deviceName)),
        (count) => `no server heard ${count} of the bench`,
        'device',
      ),
  },
  {
    text: 'somebody made a remark',
    reasons: ({ run: { remarks }, remark }) =>
      reasonAbout(
        named([...remarks.map(({ text }) => text), ...(remark === '' ? [] : [remark])]),
        (count) => `${count} by operator or signer`,
        'remark',
      ),
  },
];

const GROUPS = [
  { verdict: 'not accepted', rules: AGAINST },
  { verdict: 'partly verified', rules: PARTLY },
  { verdict: 'accepted with remarks', rules: REMARKS },
] as const;

/** The first verdict with a rule that applies is given; a run to which no rule applies is accepted. */
export const RULES: readonly { readonly verdict: Verdict; readonly rules: readonly string[] }[] = GROUPS.map(
  ({ verdict, rules }) => ({ verdict, rules: rules.map(({ text }) => text) }),
);

export const verdictOf = (evidence: Evidence): Judgement => {
  const [worst, ...others] = GROUPS.map(({ verdict, rules }) => ({
    verdict,
    reasons: rules.flatMap(({ reasons }) => reasons(evidence)),
  })).filter(({ reasons }) => reasons.length > 0);
  return worst === undefined
    ? { verdict: 'accepted', reasons: [], further: [] }
    : { ...worst, further: others.flatMap(({ reasons }) => reasons) };
};
