/** The rows that a store keeps for a time. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import { DAY_MS, HOUR_MS, type Cancel, type TimeSource } from '../async/time.js';
import type { Statement, Store, StoreError, Value } from './store.js';
import type { SystemClock } from './system-clock.js';

/** The index by which old rows, and those of a short span of time, are found. */
export const indexOfTimes = (table: string): string => `CREATE INDEX ${table}_in_time ON ${table} (time)`;

/** A column that is 1 in rows which a clock dated that was wrong for sure: their age is unknown. */
export const misdatedColumn = (table: string): string => `ALTER TABLE ${table} ADD COLUMN misdated INTEGER`;

/** The condition of rows whose age is known. */
export const IS_DATED = 'misdated IS NULL';

export interface HistoryOptions {
  readonly store: Store;
  readonly time: TimeSource;
  readonly systemClock: Pick<SystemClock, 'isWrong' | 'trusted'>;
  /** How long rows are kept, days; null: for ever. */
  readonly historyDays: number | null;
}

/** How many rows a statement deletes: more would hold up the rows that wait. */
const DELETED_AT_ONCE = 1_000;

interface Deletion {
  /** The most rows; all by default. */
  readonly most?: number;
  /** Ends the deletion after a piece. */
  readonly signal?: AbortSignal;
}

/**
 * Deletes the rows of `table` that a condition (`WHERE …`, `ORDER BY …`) finds, piece by piece; returns their number. Left: a piece
 * could not be deleted; earlier pieces are.
 */
export const deleteRows =
  (
    store: Store,
    table: string,
    [condition, ...values]: Statement,
    { most = Infinity, signal }: Deletion = {},
  ): TaskEither<StoreError, number> =>
  async () => {
    let all = 0;
    for (;;) {
      const limit = Math.min(DELETED_AT_ONCE, most - all);
      const sql = `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} ${condition} LIMIT ${limit})`;
      const deleted = await store.change([sql, ...values])();
      if (E.isLeft(deleted)) return deleted;
      all += deleted.right;
      if (deleted.right < DELETED_AT_ONCE || signal?.aborted === true) return E.right(all);
    }
  };

/** The value of `misdated` in a row with this time, ms of the Unix epoch. */
export const misdated = ({ systemClock }: HistoryOptions, time: number): number | null =>
  systemClock.isWrong(time) ? 1 : null;

/** An instant some days ago, ms of the Unix epoch. */
export type DaysAgo = (days: number) => number;

/**
 * Deletes the rows of `table` that are too old, each hour, if the clock can be trusted. `prune` does the rest, now and each hour;
 * without `daysAgo` it must not judge rows by their age.
 */
export const pruneHourly = (
  { store, time, systemClock, historyDays }: HistoryOptions,
  table: string,
  prune: (daysAgo: DaysAgo | undefined, signal: AbortSignal) => void,
): Cancel => {
  if (store.state.state === 'off') return () => undefined;
  const ending = new AbortController();
  const { signal } = ending;
  const run = async (): Promise<void> => {
    const date = await systemClock.trusted();
    const daysAgo: DaysAgo | undefined = date === null ? undefined : (days) => date - days * DAY_MS;
    if (historyDays !== null && daysAgo !== undefined) {
      const old = `WHERE time < ? AND ${IS_DATED} ORDER BY time`;
      await deleteRows(store, table, [old, daysAgo(historyDays)], { signal })();
    }
    if (!signal.aborted) prune(daysAgo, signal);
  };
  let cancel: Cancel = () => undefined;
  const runLater = (): void => {
    cancel = time.after(HOUR_MS, () => {
      detached(run());
      runLater();
    });
  };
  prune(undefined, signal);
  runLater();
  return () => {
    cancel();
    ending.abort();
  };
};

export type Condition = readonly [sql: string, ...values: (Value | undefined)[]];

const isComplete = (condition: Condition): condition is Statement => !condition.includes(undefined);

/** `WHERE` with the conditions that have their values. */
export const where = (conditions: readonly Condition[]): Statement => {
  const complete = conditions.filter(isComplete);
  return [
    complete.length === 0 ? '' : `WHERE ${complete.map(([sql]) => sql).join(' AND ')}`,
    ...complete.flatMap(([, ...values]) => values),
  ];
};
