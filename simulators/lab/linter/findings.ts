import { type Trace, type Verdict, type Violation } from '../../radio/index.js';

/** The report on the hosts of a strict air. */
export interface Findings {
  readonly verdicts: readonly Verdict[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly version: string;
  readonly trace: Trace;
}

export type State = 'kept' | 'broken' | 'not tried';

export const stateOf = ({ broken, checked }: Verdict): State =>
  broken > 0 ? 'broken' : checked > 0 ? 'kept' : 'not tried';

export const inState = ({ verdicts }: Findings, state: State): readonly Verdict[] =>
  verdicts.filter((verdict) => stateOf(verdict) === state);

export const violationCount = ({ verdicts }: Pick<Findings, 'verdicts'>): number =>
  verdicts.reduce((sum, { broken }) => sum + broken, 0);

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** The number of violations of a rule that the verdict does not list. */
export const unlisted = ({ broken, violations }: Verdict): number =>
  broken - violations.reduce((sum, { count }) => sum + count, 0);

export const placeOf = (trace: Trace, { first }: Violation): string => {
  if (first === undefined) return '';
  const place = trace.find(first);
  return place === undefined ? `packet ${first.number}` : `frame ${place.frame} of ${place.file}`;
};

/** The time of the first packet of a violation, UTC. */
export const timeOf = ({ first }: Violation): string =>
  first === undefined ? '' : new Date(first.at).toISOString();
