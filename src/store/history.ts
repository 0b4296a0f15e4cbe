/** The rows that a store keeps for a time. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import { DAY_MS, HOUR_MS, type Cancel, type TimeSource } from '../async/time.js';
import type { Statement, Store, StoreError, Value } from './store.js';

/** The index by which old rows, and those of a short span of time, are found. */
export const indexOfTimes = (table: string): string => `CREATE INDEX ${table}_in_time ON ${table} (time)`;

export interface HistoryOptions {
  readonly store: Store;
  readonly time: TimeSource;
  /** How long rows are kept, days; null: for ever. */
  readonly historyDays: number | null;
}

/** How many rows a statement deletes: more would hold up the rows that wait. */
const DELETED_AT_ONCE = 1_000;

/**
 * Deletes the rows of `table` that a condition (`WHERE …`) finds, at most `most`, piece by piece; returns their number. Left: a piece
 * could not be deleted; earlier pieces are.
 */
export const deleteRows =
  (
    store: Store,
    table: string,
    [condition, ...values]: Statement,
    most = Infinity,
  ): TaskEither<StoreError, number> =>
  async () => {
    let all = 0;
    for (;;) {
      const limit = Math.min(DELETED_AT_ONCE, most - all);
      const sql = `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} ${condition} LIMIT ${limit})`;
      const deleted = await store.change([sql, ...values])();
      if (E.isLeft(deleted)) return deleted;
      all += deleted.right;
      if (deleted.right < DELETED_AT_ONCE) return E.right(all);
    }
  };

/** An instant some days ago, ms of the Unix epoch. */
export type DaysAgo = (days: number) => number;

/** Deletes the rows of `table` that are too old, now and each hour; `prune` thins the others. */
export const pruneHourly = (
  { store, time, historyDays }: HistoryOptions,
  table: string,
  prune: (daysAgo: DaysAgo) => void,
): Cancel => {
  if (store.state.state === 'off') return () => undefined;
  // Not the present time of day: a jump of it must not delete anything.
  const [date, now] = [time.date().getTime(), time.now()];
  const daysAgo: DaysAgo = (days) => date + time.now() - now - days * DAY_MS;
  let cancel: Cancel = () => undefined;
  const run = (): void => {
    if (historyDays !== null) detached(deleteRows(store, table, ['WHERE time < ?', daysAgo(historyDays)])());
    prune(daysAgo);
    cancel = time.after(HOUR_MS, run);
  };
  run();
  return () => cancel();
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
