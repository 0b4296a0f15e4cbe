/**
 * The thread that owns a file of SQLite, so that neither reading nor writing it holds up a server. The module serves as the
 * thread's program too: a bundle has it in a file of its own.
 */
import { chmodSync, closeSync, existsSync, lstatSync, openSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { detached } from '../async/defects.js';
import { makeFolder } from '../system/make-folder.js';
import { codeOf, systemReason } from '../system/system-error.js';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
export type Statement = readonly [sql: string, ...values: readonly Value[]];

export interface StoreFile {
  readonly path: string;
  /** The statements that lead from each version of the schema to the next, from an empty file on. */
  readonly migrations: readonly string[];
}

/**
 * `open` comes first. `write`: statements in one transaction, without those that fail. `read`, `snapshot`: one statement. `shrink`: gives some
 * free pages of the file back to the disk; `changes`: how many, 0 at the end.
 */
export type Job =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'shrink' }
  | { readonly kind: 'write'; readonly statements: readonly Statement[] }
  | { readonly kind: 'read' | 'snapshot'; readonly statement: Statement };

interface Aside {
  /** The new name of a broken file, in whose place an empty one comes. */
  readonly aside?: string;
}

/** `code`: of SQLite or the system, `DEFECT` for a wrong statement, or empty. */
export interface Failure extends Aside {
  readonly problem: string;
  readonly code: string;
}

/**
 * `rows`: JSON, since a structured clone of many rows takes the server ten times as long. `defects`: the reasons of failed
 * statements.
 */
export type Outcome =
  | ({ readonly rows: string } & Aside)
  | ({ readonly changes: number; readonly defects: readonly string[] } & Aside)
  | Failure;

/** The file of this module, which is the program of the thread. */
export const program = import.meta.filename;

/** The part of the package `libsql` in use. A value of another type than `Value` would end the process. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    run(values: readonly Value[]): { readonly changes: number };
    all(values: readonly Value[]): Row[];
  };
  close(): void;
}

class Refused extends Error {
  /** `REFUSED`: another try cannot succeed. */
  constructor(
    message: string,
    readonly code = 'REFUSED',
  ) {
    super(message);
  }
}

/** Codes of SQLite have a suffix for details, such as `SQLITE_CORRUPT_INDEX`. */
const BROKEN = /^SQLITE_(?:CORRUPT|NOTADB)/;

/** The words of SQLite mean other things to people. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^SQLITE_BUSY/, 'another program uses it'],
  [/^SQLITE_FULL/, 'the disk is full'],
  [/^SQLITE_READONLY/, 'it cannot be written'],
];

/** Failures of a statement, not of the file. */
const DEFECT = /^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE)/;

const failureOf = (thrown: unknown): Failure => {
  const thrownCode = codeOf(thrown);
  const code = typeof thrownCode === 'string' ? thrownCode : '';
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return { problem: reason ?? systemReason(thrown), code: DEFECT.test(code) ? 'DEFECT' : code };
};

const pragma = (database: Database, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).all([])[0]?.[name]);

const migrate = (database: Database, migrations: readonly string[]): void => {
  const version = pragma(database, 'user_version');
  if (version > migrations.length)
    throw new Refused(
      `it is of version ${version}, this airbench knows ${migrations.length}: install a newer airbench`,
    );
  for (const [index, sql] of migrations.entries())
    if (index >= version)
      database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
};

/** Refuses what is no regular file: opening a FIFO may never end, and the target of a link is not the server's to change. */
const checkRegular = (path: string): void => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  const isLink = stats.isSymbolicLink();
  throw new Refused(
    isLink ? 'it is a link: only its folder may be one' : 'it is not a regular file',
    'EFTYPE',
  );
};

const openFile = ({ path, migrations }: StoreFile): Database => {
  for (const suffix of ['', '-wal', '-journal']) checkRegular(path + suffix);
  // SQLite gives its other files the rights of this one.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const Libsql = createRequire(import.meta.url)('libsql') as new (path: string, options: object) => Database;
  const database = new Libsql(path, { timeout: 0 });
  try {
    // An older file keeps its size, and uses its free pages again.
    if (pragma(database, 'page_count') === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    // The lock is the server's until the process ends, and needs no memory that processes share.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('BEGIN IMMEDIATE; COMMIT');
    migrate(database, migrations);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
};

/** Renames a broken file, and its log, which may have more of it; returns its new name. */
const setAside = (path: string): string => {
  const aside = `${path}.broken-${new Date().toISOString().replace(/\D/g, '')}`;
  renameSync(path, aside);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  return aside;
};

const write = (database: Database, statements: readonly Statement[]): Outcome => {
  const defects: string[] = [];
  // Preparing a row takes longer than inserting it, and most rows of a batch are of one table.
  const prepared = new Map<string, ReturnType<Database['prepare']>>();
  const run = ([sql, ...values]: Statement): number => {
    try {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return statement.run(values).changes;
    } catch (thrown) {
      // It has changed nothing, and the transaction goes on.
      const { problem, code } = failureOf(thrown);
      if (code !== 'DEFECT') throw thrown;
      defects.push(problem);
      return 0;
    }
  };
  database.exec('BEGIN IMMEDIATE');
  try {
    const changes = statements.reduce((all, statement) => all + run(statement), 0);
    database.exec('COMMIT');
    return { changes, defects };
  } catch (thrown) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // A full disk has already rolled it back.
    }
    throw thrown;
  }
};

const DONE: Outcome = { changes: 0, defects: [] };

/** How many pages are given back at once: more would hold up the rows that wait. */
const SHRUNK_AT_ONCE = 100;

/** The share of free pages that a file keeps for the next rows. */
const KEPT_FREE = 0.1;

const shrink = (database: Database): Outcome => {
  const free = pragma(database, 'freelist_count');
  if (free <= pragma(database, 'page_count') * KEPT_FREE) return DONE;
  database.exec(`PRAGMA incremental_vacuum(${SHRUNK_AT_ONCE})`);
  return { changes: free - pragma(database, 'freelist_count'), defects: [] };
};

const workOn = (file: StoreFile) => {
  let database: Database | undefined;

  const run = (job: Job): Outcome => {
    if (job.kind === 'close') {
      database?.close();
      database = undefined;
      return DONE;
    }
    database ??= openFile(file);
    if (job.kind === 'open') return DONE;
    if (job.kind === 'shrink') return shrink(database);
    if (job.kind === 'write') return write(database, job.statements);
    const [sql, ...values] = job.statement;
    return { rows: JSON.stringify(database.prepare(sql).all(values)) };
  };

  const tried = (job: Job): Outcome => {
    try {
      return run(job);
    } catch (thrown) {
      return failureOf(thrown);
    }
  };

  return async (job: Job): Promise<Outcome> => {
    try {
      if (job.kind === 'open') await makeFolder(dirname(file.path));
    } catch (thrown) {
      return failureOf(thrown);
    }
    const outcome = tried(job);
    if (!('code' in outcome) || !BROKEN.test(outcome.code)) return outcome;
    tried({ kind: 'close' });
    try {
      const aside = setAside(file.path);
      return { ...tried(job), aside };
    } catch (thrown) {
      return failureOf(thrown);
    }
  };
};

const isStoreFile = (data: unknown): data is StoreFile =>
  typeof data === 'object' && data !== null && 'migrations' in data;

if (!isMainThread && isStoreFile(workerData)) {
  const run = workOn(workerData);
  parentPort?.on('message', (job: Job) =>
    detached(run(job).then((outcome) => parentPort?.postMessage(outcome))),
  );
}
