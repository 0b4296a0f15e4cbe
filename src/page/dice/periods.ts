/** Evenings and days of rolls. */
import type { Roll } from './pool.js';

export const GROUPINGS = ['evening', 'day', 'all'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A pause that parts two evenings. */
const GAP_MS = 2 * 3_600_000;

type Timed = Pick<Roll, 'time'>;

const isSameEvening = (earlier: Timed, later: Timed): boolean =>
  Date.parse(later.time) - Date.parse(earlier.time) < GAP_MS;

/** In the zone of the browser. */
const isSameDay = (earlier: Timed, later: Timed): boolean =>
  Date.parse(earlier.time) >= new Date(later.time).setHours(0, 0, 0, 0);

/** The last evening or day in `rolls`, the oldest roll first; or all of them. */
export const periodOf = <R extends Timed>(by: Grouping, rolls: readonly R[]): readonly R[] => {
  if (by === 'all') return rolls;
  const isSame = by === 'evening' ? isSameEvening : isSameDay;
  let first = Math.max(0, rolls.length - 1);
  for (; first > 0; first--) {
    const [earlier, later] = [rolls[first - 1], rolls[first]];
    if (earlier === undefined || later === undefined || !isSame(earlier, later)) break;
  }
  return rolls.slice(first);
};
