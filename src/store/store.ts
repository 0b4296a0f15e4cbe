/** The memory of a server that outlasts it: a file of SQLite, written in batches and read in a thread of its own. */
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { detached, Listeners } from '../async/defects.js';
import { MINUTE_MS, type Cancel, type TimeSource } from '../async/time.js';
import { makeFolder } from '../system/files.js';
import { missingPackage } from '../system/packages.js';
import { codeOf, messageOf, systemReason } from '../system/system-error.js';
import type { Failure, Job, Outcome, Reply, Request, Row, Statement, StoreFile } from './worker.js';

export type { Row, Statement, Value } from './worker.js';

/** `problem`: the reason for `failed`, a message; null in any other state. */
export interface StoreState {
  readonly state: 'ok' | 'off' | 'failed';
  readonly problem: string | null;
}

/** The reason why the store cannot answer, a message. */
export interface StoreError {
  readonly _tag: 'NotRemembered';
  readonly reason: string;
}

export interface Store {
  readonly state: StoreState;
  /** Writes a row within a second, after all that were written before. */
  write(statement: Statement): void;
  /** Writes at once; the number of rows that changed. Left: nothing changed. */
  change(statement: Statement): TaskEither<StoreError, number>;
  /** Reads rows, with all that was written before. */
  read(statement: Statement): TaskEither<StoreError, readonly Row[]>;
  /** Calls back when a store that failed can be used again, and with true when an empty file replaces a broken one. */
  onRecovery(listener: (isEmpty: boolean) => void): Cancel;
  /** Writes the waiting rows, and closes the file. Never rejects. */
  close(): Promise<void>;
}

const offReason = 'the server keeps no history (--history off)';

/** The store of a server that is to remember nothing. */
export const NO_STORE: Store = {
  state: { state: 'off', problem: null },
  write: () => undefined,
  change: () => () => Promise.resolve(E.right(0)),
  read: () => () => Promise.resolve(E.left({ _tag: 'NotRemembered', reason: offReason })),
  onRecovery: () => () => undefined,
  close: () => Promise.resolve(),
};

export interface StoreOptions extends StoreFile {
  readonly time: TimeSource;
  readonly log: Logger;
}

/** How long a written row may wait, ms. */
const BATCH_MS = 1_000;

/** The most rows of a transaction. */
const MOST_IN_BATCH = 1_000;

/** The most rows that wait while the disk takes none; the oldest are dropped first. */
const MOST_WAITING = 100_000;

/** How often a file is opened again that cannot be used, or whose thread has ended, ms. */
const OPEN_EVERY_MS = MINUTE_MS;

/** Failures of SQLite, the system (`EACCES`) or the thread (`ENDED`) that may pass: the rows are tried again. */
const PASSING = /^(?:SQLITE_(?:FULL|READONLY|IOERR|CANTOPEN|BUSY|NOMEM)|E[A-Z]+$)/;

/** The reasons of failed statements. */
const defectsOf = (outcome: Outcome): readonly string[] => {
  if ('defects' in outcome) return outcome.defects;
  return 'code' in outcome && outcome.code === 'DEFECT' ? [outcome.problem] : [];
};

/** The memory of a thread's JavaScript heap, MiB: a page of rows and little more. */
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** A thread with a file. Left of a request: the thread has ended. */
class Thread {
  private readonly pending = new Map<number, (outcome: Outcome) => void>();
  private last = 0;
  private ended: Failure | undefined;

  private constructor(private readonly worker: Worker) {
    worker.unref();
    worker.on('message', ({ id, outcome }: Reply) => this.settle(id, outcome));
    worker.on('error', (error) => this.end(messageOf(error)));
    worker.on('exit', (status) => this.end(`its thread ended with status ${status}`));
  }

  static async start(file: StoreFile): Promise<Thread> {
    await makeFolder(dirname(file.path));
    const { program } = await import('./worker.js');
    return new Thread(new Worker(program, { workerData: file, resourceLimits: HEAP }));
  }

  get hasEnded(): boolean {
    return this.ended !== undefined;
  }

  request(job: Job): Promise<Outcome> {
    if (this.ended !== undefined) return Promise.resolve(this.ended);
    const id = ++this.last;
    const request: Request = { id, job };
    // A thread that owes an answer keeps the process alive.
    this.worker.ref();
    return new Promise((resolve) => {
      this.pending.set(id, resolve);
      this.worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    if (this.ended !== undefined) return;
    await this.request({ kind: 'close' });
    await this.worker.terminate();
  }

  private settle(id: number, outcome: Outcome): void {
    this.pending.get(id)?.(outcome);
    this.pending.delete(id);
    if (this.pending.size === 0) this.worker.unref();
  }

  private end(problem: string): void {
    this.ended ??= { problem, code: 'ENDED' };
    for (const id of [...this.pending.keys()]) this.settle(id, this.ended);
  }
}

class FileStore implements Store {
  private readonly waiting: Statement[] = [];
  /** How many rows are written or dropped: the number of the first that waits. */
  private done = 0;
  /** The last flush, which the next one follows. Never rejects. */
  private flushed: Promise<Outcome | undefined> = Promise.resolve(undefined);
  private cancelBatch: Cancel | undefined;
  private isClosed = false;
  private problem: string | null = null;
  private readonly recoveries = new Listeners<boolean>();
  private thread: Promise<E.Either<Failure, Thread>>;
  /** When the file was opened, or could not be. */
  private openedAt = 0;

  constructor(private readonly options: StoreOptions) {
    this.thread = this.open();
  }

  get state(): StoreState {
    return { state: this.problem === null ? 'ok' : 'failed', problem: this.problem };
  }

  write(statement: Statement): void {
    if (this.isClosed) return;
    this.waiting.push(statement);
    if (this.waiting.length > MOST_WAITING) this.drop(1);
    this.flushLater();
  }

  change(statement: Statement): TaskEither<StoreError, number> {
    return async () => {
      const outcome =
        (await this.flush()) ?? (await this.request({ kind: 'write', statements: [statement] }));
      return 'changes' in outcome && defectsOf(outcome).length === 0
        ? E.right(outcome.changes)
        : this.refused(outcome);
    };
  }

  read(statement: Statement): TaskEither<StoreError, readonly Row[]> {
    return async () => {
      await this.flush();
      const outcome = await this.request({ kind: 'read', statement });
      return 'rows' in outcome ? E.right(JSON.parse(outcome.rows) as readonly Row[]) : this.refused(outcome);
    };
  }

  onRecovery(listener: (isEmpty: boolean) => void): Cancel {
    return this.recoveries.add(listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.flush();
    this.cancelBatch?.();
    const thread = await this.thread;
    if (E.isRight(thread)) await thread.right.close();
  }

  private async open(): Promise<E.Either<Failure, Thread>> {
    this.openedAt = this.options.time.now();
    const opened = await this.tryToOpen();
    // A defect in a migration is one of the file.
    if (E.isLeft(opened)) this.notice({ ...opened.left, code: '' });
    return opened;
  }

  private async tryToOpen(): Promise<E.Either<Failure, Thread>> {
    const missing = missingPackage('libsql');
    if (missing !== undefined) return E.left({ problem: missing, code: '' });
    try {
      const thread = await Thread.start({ path: this.options.path, migrations: this.options.migrations });
      const outcome = await thread.request({ kind: 'open' });
      if ('problem' in outcome) {
        await thread.close();
        return E.left(outcome);
      }
      this.notice(outcome);
      return E.right(thread);
    } catch (error) {
      const code = codeOf(error);
      return E.left({ problem: systemReason(error), code: typeof code === 'string' ? code : '' });
    }
  }

  /** The thread with the file, opened again if need be. */
  private async opened(): Promise<E.Either<Failure, Thread>> {
    const thread = await this.thread;
    const canOpen = E.isLeft(thread) ? PASSING.test(thread.left.code) : thread.right.hasEnded;
    const isDue = this.options.time.now() - this.openedAt >= OPEN_EVERY_MS;
    if (canOpen && isDue && !this.isClosed) this.thread = this.open();
    return this.thread;
  }

  private async request(job: Job): Promise<Outcome> {
    const thread = await this.opened();
    if (E.isLeft(thread)) return thread.left;
    const outcome = await thread.right.request(job);
    // A full disk can still be read.
    if (job.kind !== 'read' || !('rows' in outcome) || outcome.aside !== undefined) this.notice(outcome);
    return outcome;
  }

  private flushLater(): void {
    this.cancelBatch ??= this.options.time.after(BATCH_MS, () => detached(this.flush()));
  }

  /** Writes all rows that wait now, in their order; resolves with the failure for which rows must wait longer. */
  private flush(): Promise<Outcome | undefined> {
    this.cancelBatch?.();
    this.cancelBatch = undefined;
    const end = this.done + this.waiting.length;
    this.flushed = this.flushed.then(() => this.writeUntil(end));
    return this.flushed;
  }

  private async writeUntil(end: number): Promise<Outcome | undefined> {
    while (this.done < end) {
      const statements = this.waiting.slice(0, Math.min(MOST_IN_BATCH, end - this.done));
      const written = this.done + statements.length;
      const outcome = await this.request({ kind: 'write', statements });
      if ('code' in outcome && PASSING.test(outcome.code)) {
        this.flushLater();
        return outcome;
      }
      this.drop(written - this.done);
    }
    return undefined;
  }

  /** Drops the first rows that wait. */
  private drop(count: number): void {
    this.waiting.splice(0, count);
    this.done += Math.max(0, count);
  }

  /** Says once that the store fails, and once that it works again. */
  private notice(outcome: Outcome): void {
    const { path, log } = this.options;
    const { aside } = outcome;
    for (const reason of defectsOf(outcome)) log.error({ path, reason }, 'a statement of the store failed');
    const failure = 'problem' in outcome ? outcome : undefined;
    if (failure?.code === 'DEFECT') return;
    if (aside !== undefined)
      log.error(
        { path, aside },
        'the store was broken: its file was kept aside, an empty one takes its place',
      );
    const hadFailed = this.problem !== null;
    this.problem = failure === undefined ? null : this.messageOf(failure.problem);
    if (failure !== undefined && !hadFailed)
      log.warn(
        { path, reason: failure.problem },
        'the store cannot be used: the server serves on without it',
      );
    if (failure === undefined && hadFailed) log.warn({ path }, 'the store can be used again');
    if (aside !== undefined || (failure === undefined && hadFailed))
      this.recoveries.call(aside !== undefined);
  }

  private refused(outcome: Outcome): E.Either<StoreError, never> {
    const [reason = 'its thread gave another answer'] =
      'problem' in outcome ? [outcome.problem] : defectsOf(outcome);
    return E.left({ _tag: 'NotRemembered', reason: this.messageOf(reason) });
  }

  private messageOf(problem: string): string {
    return `${this.options.path} cannot be used: ${problem}`;
  }
}

/** Opens a store in the background: a file that cannot be used is said in the log and in `state`. */
export const openStore = (options: StoreOptions): Store => new FileStore(options);
