/** The rows that a store keeps for a time. */
import { DAY_MS, HOUR_MS, type Cancel, type TimeSource } from '../async/time.js';
import type { Statement, Store, Value } from './store.js';

/** The index by which old rows, and those of a short span of time, are found. */
export const indexOfTimes = (table: string): string => `CREATE INDEX ${table}_in_time ON ${table} (time)`;

export interface HistoryOptions {
  readonly store: Store;
  readonly time: TimeSource;
  /** How long rows are kept, days; null: for ever. */
  readonly historyDays: number | null;
}

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
    if (historyDays !== null) store.write([`DELETE FROM ${table} WHERE time < ?`, daysAgo(historyDays)]);
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
