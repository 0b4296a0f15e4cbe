/** The readings of clocks that the server keeps. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { DAY_MS, MINUTE_MS, type Cancel } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import { parseError } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Reading } from '../protocols/cgd1/index.js';
import { pruneHourly, where, type HistoryOptions } from '../store/history.js';
import type { Row } from '../store/store.js';
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

const figuresOf = (name: string): string =>
  `avg(${name}) ${name}_mean, min(${name}) ${name}_min, max(${name}) ${name}_max`;

export class Readings {
  private readonly newest = new Map<Address, Reading & { readonly time: number }>();
  private readonly cancelPrune: Cancel;

  constructor(private readonly options: HistoryOptions) {
    const { store } = options;
    let thinned = 0;
    this.cancelPrune = pruneHourly(options, 'readings', (daysAgo) => {
      const old = Math.floor(daysAgo(THINNED_AFTER_DAYS) / MINUTE_MS) * MINUTE_MS;
      const span = 'time >= ?1 AND time < ?2';
      store.write([
        `DELETE FROM readings WHERE ${span} AND id NOT IN
         (SELECT min(id) FROM readings WHERE ${span} GROUP BY address, time / ${MINUTE_MS})`,
        ...[thinned, old],
      ]);
      thinned = old;
    });
  }

  add(address: Address, reading: Reading, battery: number | null): void {
    const { store, time } = this.options;
    const { temperature, humidity } = reading;
    const now = time.date().getTime();
    const last = this.newest.get(address);
    const isSame = last?.temperature === temperature && last.humidity === humidity;
    if (isSame && Math.abs(now - last.time) < SAME_MS) return;
    this.newest.set(address, { temperature, humidity, time: now });
    store.write([
      'INSERT INTO readings (time, address, temperature, humidity, battery) VALUES (?, ?, ?, ?, ?)',
      ...[now, address, temperature, humidity, battery],
    ]);
  }

  /** The points of a span, the oldest first. Left: too many points. */
  history(address: Address, span: Span): TE.TaskEither<DeviceError, readonly HistoryPoint[]> {
    const { store, time } = this.options;
    const { to = time.date() } = span;
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
    const [condition, ...values] = where([
      ['address = ?', address],
      ['time >= ?', start],
      ['time < ?', to.getTime()],
    ]);
    return pipe(
      store.read([
        `SELECT (time - ${start}) / ${step * 1000} step, min(battery) battery,
         ${figuresOf('temperature')}, ${figuresOf('humidity')}
         FROM readings ${condition} GROUP BY step ORDER BY step`,
        ...values,
      ]),
      TE.map((rows) => rows.map((row) => pointOf(start, step * 1000, row))),
    );
  }

  /** Deletes the readings of a clock. */
  forget(address: Address): TE.TaskEither<DeviceError, number> {
    this.newest.delete(address);
    return this.options.store.change(['DELETE FROM readings WHERE address = ?', address]);
  }

  close(): void {
    this.cancelPrune();
  }
}
