/** The readings of clocks that the server keeps. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import { setNewest } from '../async/newest.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Cancel } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import { parseError } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Reading } from '../protocols/cgd1/index.js';
import { deleteRows, IS_DATED, misdated, pruneHourly, type HistoryOptions } from '../store/history.js';
import type { Row, Statement, StoreError } from '../store/store.js';
import { MOST_POINTS, type HistoryPoint } from './contract-records.js';

export const READINGS_TABLE = `CREATE TABLE readings (
  id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, address TEXT NOT NULL,
  temperature REAL NOT NULL, humidity REAL NOT NULL, battery INTEGER
);
CREATE INDEX readings_of_clock ON readings (address, time, temperature, humidity, battery)`;

/** A clock sends a reading about each second: the same reading is kept once in this time. */
const SAME_MS = MINUTE_MS;

/** The age from which one reading of each minute is kept, days. */
const THINNED_AFTER_DAYS = 30;

const FIRST_READING = `SELECT time FROM readings WHERE time >= ? AND ${IS_DATED} ORDER BY time LIMIT 1`;

const OF_SPAN = `time >= ?1 AND time < ?2 AND ${IS_DATED}`;
const THIN = `DELETE FROM readings WHERE ${OF_SPAN} AND id NOT IN
  (SELECT min(id) FROM readings WHERE ${OF_SPAN} GROUP BY address, time / ${MINUTE_MS})`;

const IN_SPAN = 'WHERE address = ?1 AND time >= ?2 AND time < ?3';
/** The times of the first and the last reading of a clock in a span. */
const BOUNDS = `SELECT (SELECT min(time) FROM readings ${IN_SPAN}) first, (SELECT max(time) FROM readings ${IN_SPAN}) last`;

const USUAL_STEP_SECS = 300;
const LONGEST_STEP_SECS = 86_400;

export interface Span {
  /** A day before `to` by default. */
  readonly from?: Date | undefined;
  /** Now by default. */
  readonly to?: Date | undefined;
  /** Seconds. */
  readonly step?: number | undefined;
}

const pointOf = (start: number, stepMs: number, row: Row): HistoryPoint => {
  const { step, battery } = row;
  const figures = (name: string) => {
    const [mean, min, max] = ['mean', 'min', 'max'].map((figure) => Number(row[`${name}_${figure}`]));
    return { mean: mean ?? 0, min: min ?? 0, max: max ?? 0 };
  };
  return {
    time: new Date(start + Number(step) * stepMs).toISOString(),
    temperature: figures('temperature'),
    humidity: figures('humidity'),
    battery: typeof battery === 'number' ? battery : null,
  };
};

/** A reading holds until the next one, at most this long: the clock may not have been heard since, ms. */
const HOLD_MS = 5 * MINUTE_MS;

/** The longest span that one statement reads, unless a step is longer, ms: more would hold up the store. */
const PIECE_MS = 2 * HOUR_MS;

/** The mean by time, in which the beginning of a step has the reading before it. */
const figuresOf = (name: string): string =>
  `sum(${name} * held + ifnull(last_${name} * begun, 0)) / sum(held + begun) ${name}_mean,
   min(min(${name}, iif(begun > 0, last_${name}, ${name}))) ${name}_min,
   max(max(${name}, iif(begun > 0, last_${name}, ${name}))) ${name}_max`;

/** The readings of a clock in steps; times are ms. */
interface Series {
  readonly address: Address;
  readonly from: number;
  readonly to: number;
  /** The time of the last reading. */
  readonly last: number;
  readonly stepMs: number;
  /** The client's. */
  readonly signal: AbortSignal | undefined;
}

/** The steps with readings from `start` to `end`. */
const stepsOf = ({ from, stepMs }: Series, start: number, end: number): string => `WITH
  ordered AS (
    SELECT time, temperature, humidity, battery, (time - ${start}) / ${stepMs} step,
      lead(time, 1, ${end}) OVER in_time next_time, lag(time, 1, 0) OVER in_time last_time,
      lag(temperature) OVER in_time last_temperature, lag(humidity) OVER in_time last_humidity
    FROM readings WHERE address = ? AND time >= ${Math.max(from, start - HOLD_MS)} AND time < ${end}
    WINDOW in_time AS (ORDER BY time)
  ),
  placed AS (SELECT *, ${start} + step * ${stepMs} begin FROM ordered WHERE time >= ${start}),
  weighed AS (
    SELECT *, min(next_time, time + ${HOLD_MS}, begin + ${stepMs}) - time held,
      iif(last_time < begin, max(0, min(time, last_time + ${HOLD_MS}) - begin), 0) begun
    FROM placed
  )
  SELECT step, min(battery) battery, ${figuresOf('temperature')}, ${figuresOf('humidity')}
  FROM weighed GROUP BY step ORDER BY step`;

/** The most clocks whose newest reading is in memory. */
const MOST_NEWEST = 1_000;

export class Readings {
  private readonly newest = new Map<Address, Reading & { readonly time: number }>();
  /** Up to when readings are thinned, ms of the Unix epoch. */
  private thinnedUntil = 0;
  private readonly cancelPrune: Cancel;

  constructor(private readonly options: HistoryOptions) {
    this.cancelPrune = pruneHourly(options, 'readings', (daysAgo, signal) => {
      if (daysAgo !== undefined) detached(this.thin(daysAgo(THINNED_AFTER_DAYS), signal));
    });
  }

  add(address: Address, reading: Reading, battery: number | null): void {
    const { store, time } = this.options;
    const { temperature, humidity } = reading;
    const now = time.date().getTime();
    const last = this.newest.get(address);
    const isSame = last?.temperature === temperature && last.humidity === humidity;
    if (isSame && Math.abs(now - last.time) < SAME_MS) return;
    setNewest(this.newest, address, { temperature, humidity, time: now }, MOST_NEWEST);
    store.write([
      'INSERT INTO readings (time, address, temperature, humidity, battery, misdated) VALUES (?, ?, ?, ?, ?, ?)',
      ...[now, address, temperature, humidity, battery, misdated(this.options, now)],
    ]);
  }

  /** The points of a span, the oldest first. Left: too many points. */
  history(
    address: Address,
    span: Span,
    signal?: AbortSignal,
  ): TE.TaskEither<DeviceError, readonly HistoryPoint[]> {
    const { to = this.options.time.date() } = span;
    const { from = new Date(to.getTime() - DAY_MS) } = span;
    const start = from.getTime();
    const secs = Math.max(0, to.getTime() - start) / 1000;
    const least = Math.ceil(secs / MOST_POINTS);
    const step = span.step ?? Math.min(LONGEST_STEP_SECS, Math.max(USUAL_STEP_SECS, least));
    if (secs / step > MOST_POINTS) {
      const reason =
        least > LONGEST_STEP_SECS
          ? `from must be at most ${(MOST_POINTS * LONGEST_STEP_SECS * 1000) / DAY_MS} days before to, got ${from.toISOString()}`
          : `step must be at least ${least} for a span of ${secs} s, got ${step}`;
      return TE.left(parseError(`${reason}: an answer has at most ${MOST_POINTS} points`));
    }
    const [end, stepMs] = [to.getTime(), step * 1000];
    return pipe(
      this.options.store.read([BOUNDS, address, start, end], signal),
      TE.chain(([row]) => {
        const { first = null, last = null } = row ?? {};
        if (first === null) return TE.right([]);
        const begin = start + Math.floor((Number(first) - start) / stepMs) * stepMs;
        const series = { address, from: start, to: end, last: Number(last), stepMs, signal };
        return this.points(series, begin);
      }),
    );
  }

  /** Deletes the readings of a clock, and then runs the statements `also`; returns the number of readings. Left: some may be deleted. */
  forget(address: Address, ...also: readonly Statement[]): TE.TaskEither<StoreError, number> {
    const { store } = this.options;
    return pipe(
      deleteRows(store, 'readings', ['WHERE address = ?', address]),
      TE.chainFirst(() => store.change(...also)),
      TE.chainFirstIOK(() => () => this.newest.delete(address)),
    );
  }

  close(): void {
    this.cancelPrune();
  }

  /** The points `before`, and those from `start` on, a piece at a time. */
  private points(
    series: Series,
    start: number,
    before: readonly HistoryPoint[] = [],
  ): TE.TaskEither<StoreError, readonly HistoryPoint[]> {
    const { address, to, last, stepMs, signal } = series;
    if (start > last) return TE.right(before);
    const next = start + Math.max(1, Math.floor(PIECE_MS / stepMs)) * stepMs;
    return pipe(
      this.options.store.read([stepsOf(series, start, Math.min(next, to)), address], signal),
      TE.map((rows) => [...before, ...rows.map((row) => pointOf(start, stepMs, row))]),
      TE.chain((points) => this.points(series, next, points)),
    );
  }

  /** Keeps the first reading of each minute before `end`, an hour at a time. */
  private async thin(end: number, signal: AbortSignal): Promise<void> {
    const { store } = this.options;
    for (;;) {
      const first = await store.read([FIRST_READING, this.thinnedUntil])();
      const time = E.isRight(first) ? first.right[0]?.['time'] : undefined;
      if (typeof time !== 'number' || time >= end - MINUTE_MS || signal.aborted) return;
      const from = time - (time % MINUTE_MS);
      const until = Math.min(from + HOUR_MS, end - (end % MINUTE_MS));
      const thinned = await store.change([THIN, from, until])();
      if (E.isLeft(thinned)) return;
      this.thinnedUntil = until;
    }
  }
}
