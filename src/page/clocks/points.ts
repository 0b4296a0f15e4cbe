/** Readings in words, and the points of the curves of a clock. */
import { DAY_MS } from '../../async/time.js';
import type { HistoryPoint, Sensors, Settings } from '../../clock/contract.js';

type Unit = Settings['temperature_unit'];

export const degrees = (unit: Unit, celsius: number): number => (unit === 'C' ? celsius : celsius * 1.8 + 32);

/** Rounds decimal halves up: 23.45 becomes 23.5, although no binary fraction equals 23.45. */
const rounded = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: 'negative',
    useGrouping: false,
  });
const tenths = rounded(1);
const whole = rounded(0);

export const inUnit = (unit: Unit, value: number): string => `${tenths.format(value)} °${unit}`;

export const temperatureIn = (unit: Unit, celsius: number): string => inUnit(unit, degrees(unit, celsius));

export const humidityIn = (percent: number): string => `${whole.format(percent)} %`;

/** A reading, and the time at which the server received it, ms since 1970; null: a gap until the next reading. */
export interface Point {
  readonly at: number;
  readonly reading: Sensors | null;
  /** The lowest and the highest values of a step whose mean is `reading`. */
  readonly low?: Sensors | undefined;
  readonly high?: Sensors | undefined;
}

export const MOST_POINTS = 1_000;

/** The number of equal spans of time into which too many points are divided; each span keeps at most five points. */
const PARTS = 100;

const isSame = (a: Sensors | null | undefined, b: Sensors | null): boolean =>
  a?.temperature === b?.temperature && a?.humidity === b?.humidity;

const lowestAndHighest = (points: readonly Point[], value: keyof Sensors): readonly (Point | undefined)[] => {
  const readings = points.flatMap((point) =>
    point.reading === null ? [] : [{ point, value: point.reading[value] }],
  );
  readings.sort((a, b) => a.value - b.value);
  return [readings[0]?.point, readings.at(-1)?.point];
};

/** The lowest and highest readings and the last gap: a thinned curve keeps its height and its gaps. */
const extremesOf = (points: readonly Point[]): readonly Point[] => {
  const kept = new Set([
    ...lowestAndHighest(points, 'temperature'),
    ...lowestAndHighest(points, 'humidity'),
    points.findLast(({ reading }) => reading === null),
  ]);
  return points.filter((point) => kept.has(point));
};

const thinned = (points: readonly Point[]): readonly Point[] => {
  const first = points[0]?.at ?? 0;
  const span = (points.at(-1)?.at ?? first) - first + 1;
  const partOf = ({ at }: Point): number => Math.floor(((at - first) / span) * PARTS);
  return Array.from({ length: PARTS }, (_, part) =>
    extremesOf(points.filter((point) => partOf(point) === part)),
  ).flat();
};

/** Adds `point`, the newest; of equal readings in a row keeps the first and the last, and drops points older than a day. */
export const withPoint = (points: readonly Point[], point: Point): readonly Point[] => {
  const [before, last] = points.slice(-2);
  const stays = isSame(before?.reading, point.reading) && isSame(last?.reading, point.reading);
  const older = (stays ? points.slice(0, -1) : points).filter(({ at }) => at > point.at - DAY_MS);
  return [...(older.length < MOST_POINTS ? older : thinned(older)), point];
};

/** A gap after `last`, if more than a step without readings follows it. */
const gapBetween = (last: Point | undefined, next: number, stepMs: number): readonly Point[] =>
  last === undefined || next - last.at <= 2 * stepMs ? [] : [{ at: last.at + stepMs, reading: null }];

/** The points of `history`, with gaps, and then the `live` ones of the page. */
export const joined = (
  history: readonly HistoryPoint[],
  live: readonly Point[],
  stepSecs: number,
): readonly Point[] => {
  const stepMs = stepSecs * 1_000;
  const begin = live[0]?.at ?? Infinity;
  const points: Point[] = [];
  for (const { time, temperature, humidity } of history) {
    const at = Date.parse(time);
    if (at >= begin) break;
    const figure = (name: 'mean' | 'min' | 'max') => ({
      temperature: temperature[name],
      humidity: humidity[name],
    });
    points.push(...gapBetween(points.at(-1), at, stepMs), {
      ...{ at, reading: figure('mean'), low: figure('min'), high: figure('max') },
    });
  }
  const joint = live.length === 0 ? [] : gapBetween(points.at(-1), begin, stepMs);
  return [...points, ...joint, ...live];
};
