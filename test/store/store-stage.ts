/** Stores of a table of words, each in a folder of its own, on a clock that stands still. */
import { join } from 'node:path';
import { expect } from 'chai';
import type * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach } from 'mocha';
import { pino } from 'pino';
import { openStore, type Store, type StoreError } from '../../src/store/store.js';
import { left, right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { manualTime } from '../support/manual-time.js';

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const MIGRATIONS = ['CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL)'];
export const WORDS = 'SELECT word FROM words ORDER BY id';
/** Holds the thread for a while. */
export const SLOW =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) SELECT max(i) FROM n';
export const FAILS = 'the store cannot be used: the server serves on without it';
export const RECOVERS = 'the store can be used again';

export interface Said {
  readonly level: number;
  readonly msg: string;
  readonly reason?: string;
  readonly aside?: string;
  readonly lost?: number;
}

export const reasonOf = (refused: E.Either<StoreError, unknown>): string => {
  const error = left(refused);
  return 'reason' in error ? error.reason : error._tag;
};

/** A folder, a clock and a log for the stores of one test after another. */
class StoreStage {
  folder = '';
  path = '';
  time = manualTime();
  /** The lines of the log. */
  said: Said[] = [];
  onSaid: (line: Said) => void = () => undefined;
  private readonly keep = keeper();

  begin(): void {
    this.folder = newFolder();
    this.path = join(this.folder, 'test.sqlite');
    this.time = manualTime();
    this.said = [];
    this.onSaid = (line) => this.said.push(line);
  }

  readonly open = (migrations = MIGRATIONS, path = this.path, stuck = (): void => undefined): Store => {
    const log = pino({}, { write: (line: string) => this.onSaid(JSON.parse(line) as Said) });
    return this.keep(openStore({ path, migrations, time: this.time, log, stuck }));
  };

  readonly write = (store: Store, ...words: readonly string[]): void => {
    for (const word of words) store.write(['INSERT INTO words (word) VALUES (?)', word]);
  };

  readonly read = async (store: Store, sql = WORDS): Promise<readonly unknown[]> =>
    right(await store.read([sql])()).map((row) => Object.values(row)[0]);

  readonly refusal = async (store: Store): Promise<string> => reasonOf(await store.read([WORDS])());

  /** Opens and closes a store with the words, so that its file is whole. */
  readonly filled = async (...words: readonly string[]): Promise<void> => {
    const store = this.open();
    this.write(store, ...words);
    await store.close();
  };
}

/** A stage for each test of a suite. */
export const storeStage = (): StoreStage => {
  const stage = new StoreStage();
  beforeEach(() => stage.begin());
  afterEach(() => expect(stage.time.pending).to.equal(0));
  return stage;
};
