/** A table that is read once, as soon as the store can, and then follows what a server has in memory. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import type { Row, Statement, Store } from './store.js';

/** How long a server waits for what it remembers before it serves without it, ms. */
export const LOAD_MS = 2_000;

interface TableOptions {
  readonly store: Store;
  readonly time: TimeSource;
  /** The query of all rows. */
  readonly query: string;
  /** Takes the rows of the file, and writes those that differ in memory. */
  readonly merge: (rows: readonly Row[]) => void;
  /** Writes all rows. */
  readonly writeAll: () => void;
}

/**
 * Statements that give a table without row ids row ids in the order of a column. `INSERT OR REPLACE` then puts a row at the end,
 * so that a query in the order of `rowid` does not depend on a clock that may have been wrong.
 */
export const inOrderOfWrites = (table: string, columns: string, first: string): string =>
  `ALTER TABLE ${table} RENAME TO old_${table};
  CREATE TABLE ${table} (${columns});
  INSERT INTO ${table} SELECT * FROM old_${table} ORDER BY ${first};
  DROP TABLE old_${table}`;

export class Table {
  /** Whether memory has the rows of the file. */
  isRead = false;
  /** Resolves when the rows are merged, cannot be read yet, or take longer than `LOAD_MS`. Never rejects. */
  readonly loaded: Promise<unknown>;

  constructor(private readonly options: TableOptions) {
    this.loaded = wait<true>({ time: options.time, ms: LOAD_MS }, (settle) => {
      detached(this.load().then(() => settle(true)));
      return () => undefined;
    })();
    options.store.onRecovery((isEmpty) => {
      if (!this.isRead) detached(this.load());
      else if (isEmpty) options.writeAll();
    });
  }

  /** Writes a row of memory, unless `merge` will do so. */
  write(statement: Statement): void {
    if (this.isRead) this.options.store.write(statement);
  }

  private async load(): Promise<void> {
    const { store, query, merge } = this.options;
    const rows = await store.read([query])();
    if (E.isLeft(rows) || this.isRead) return;
    this.isRead = true;
    merge(rows.right);
  }
}
