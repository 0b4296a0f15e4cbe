/** The verdict on a run, by rules that the report shows. */
import type { DeviceFacts } from './facts.js';
import type { Outcome, Run } from './run.js';
import type { Scenario } from './scenario.js';

/** From the worst to the best. */
export const VERDICTS = ['not accepted', 'accepted with remarks', 'accepted'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** What is judged. */
export interface Evidence {
  readonly run: Run;
  /** The tags of claimed lines that fail by their last results. */
  readonly failing: readonly string[];
  /** The tags of claimed lines of which no scenario passed in the run. */
  readonly unverified: readonly string[];
  /** The remark of the sign-off; empty without one. */
  readonly remark: string;
}

/** A fact that a rule holds against the run. */
export interface Reason {
  readonly text: string;
  /** The scenarios, lines or devices it is about. */
  readonly about: readonly string[];
}

interface Rule {
  readonly text: string;
  readonly reasons: (evidence: Evidence) => readonly Reason[];
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const reasonAbout = (
  about: readonly string[],
  text: (count: string) => string,
  one: string,
): readonly Reason[] => (about.length === 0 ? [] : [{ text: text(plural(about.length, one)), about }]);

const simply = (applies: boolean, text: string): readonly Reason[] => (applies ? [{ text, about: [] }] : []);

const isAre = (about: readonly string[]): string => (about.length === 1 ? 'is' : 'are');

const namesWith = ({ outcomes, planned }: Run, status: Outcome['status']): readonly string[] => [
  ...new Set(planned.filter(({ key }) => outcomes.get(key)?.status === status).map(({ name }) => name)),
];

const scenariosWith = ({ outcomes }: Run, status: Outcome['status']): number =>
  [...outcomes.values()].filter((outcome) => outcome.status === status).length;

/** Several examples of an outline have one name. */
const scenarios = (run: Run, status: Outcome['status'], what: string): readonly Reason[] => {
  const total = scenariosWith(run, status);
  return total === 0 ? [] : [{ text: `${plural(total, 'scenario')} ${what}`, about: namesWith(run, status) }];
};

const unfinished = ({ planned, outcomes }: Run): readonly Scenario[] =>
  planned.filter(({ key }) => !outcomes.has(key));

const deviceName = ({ kind, address, name }: DeviceFacts): string =>
  [kind === 'clock' ? 'clock' : 'die', name ?? '', address].filter((part) => part !== '').join(' ');

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
        failing,
        (count) => `${count} ${failing.length === 1 ? 'fails' : 'fail'}`,
        'claimed line',
      ),
    ],
  },
  {
    text: 'something failed outside any scenario',
    reasons: ({ run: { troubles } }) =>
      troubles.map((text) => ({ text: 'outside any scenario', about: [text] })),
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

const servers = ({ facts }: Run, fits: (commit: string | undefined) => boolean): readonly string[] =>
  (facts?.servers ?? [])
    .filter(({ about }) => fits(about?.version === undefined ? undefined : (about.commit ?? '')))
    .map(({ name }) => name);

const REMARKS: readonly Rule[] = [
  {
    text: 'a scenario passed at a later attempt only (flaky) or was skipped',
    reasons: ({ run }) => [
      ...scenarios(run, 'flaky', 'passed at a later attempt only'),
      ...scenarios(run, 'skipped', 'skipped'),
    ],
  },
  {
    text: 'a claimed line was not verified by the run',
    reasons: ({ unverified }) =>
      reasonAbout(
        unverified,
        (count) => `${count} ${isAre(unverified)} not verified by this run`,
        'claimed line',
      ),
  },
  {
    text: 'the run was narrowed to a part of the scenarios',
    reasons: ({ run: { facts } }) => {
      const selection = facts?.selection ?? [];
      return selection.length === 0 ? [] : [{ text: 'the run was narrowed', about: [selection.join(' ')] }];
    },
  },
  {
    text: 'a server was restarted, does not say its version, or is of a build with uncommitted changes (-dirty)',
    reasons: ({ run }) => {
      const unknown = servers(run, (commit) => commit === undefined);
      const dirty = servers(run, (commit) => commit?.endsWith('-dirty') === true);
      return [
        ...run.findings
          .filter(({ changedVersion }) => changedVersion !== true)
          .map(({ text }) => ({ text, about: [] })),
        ...reasonAbout(unknown, (count) => `the version of ${count} is unknown`, 'server'),
        ...reasonAbout(
          dirty,
          (count) => `${count} ${isAre(dirty)} of a build with uncommitted changes`,
          'server',
        ),
      ];
    },
  },
  {
    text: 'a device of the bench was not met',
    reasons: ({ run }) =>
      reasonAbout(notMet(run).map(deviceName), (count) => `${count} of the bench not met`, 'device'),
  },
  {
    text: 'somebody made a remark',
    reasons: ({ run: { remarks }, remark }) =>
      reasonAbout(
        [...remarks.map(({ text }) => text), ...(remark === '' ? [] : [remark])],
        (count) => `${count} of operator or signer`,
        'remark',
      ),
  },
];

/** A run that no rule speaks against is accepted. */
export const RULES = [
  { verdict: 'not accepted', rules: AGAINST },
  { verdict: 'accepted with remarks', rules: REMARKS },
] as const satisfies readonly { readonly verdict: Verdict; readonly rules: readonly Rule[] }[];

export const verdictOf = (evidence: Evidence): Judgement => {
  const found = RULES.map(({ verdict, rules }) => ({
    verdict,
    reasons: rules.flatMap(({ reasons }) => reasons(evidence)),
  }));
  return {
    verdict: found.find(({ reasons }) => reasons.length > 0)?.verdict ?? 'accepted',
    reasons: found.flatMap(({ reasons }) => reasons),
  };
};
