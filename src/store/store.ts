/** The memory of a server that outlasts it: a file of SQLite, written in batches and read in a thread of its own. */
import { basename } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { detached, Listeners } from '../async/defects.js';
import { MINUTE_MS, type Cancel, type TimeSource } from '../async/time.js';
import { shared, wait } from '../async/wait.js';
import { missingPackage } from '../system/packages.js';
import { codeOf, systemReason } from '../system/system-error.js';
import { CLOSED, DROPPED, STALLED, Thread } from './thread.js';
import type { Failure, Job, Outcome, Row, Statement, StoreFile } from './worker.js';

export type { Row, Statement, Value } from './worker.js';

/** `opening`: the file was not used yet. */
export interface StoreState {
  readonly state: 'opening' | 'ok' | 'off' | 'failed';
  /** The reason for `failed`, a message that names the file without its folder; null in any other state. */
  readonly problem: string | null;
  /** How long the oldest row has been waiting for the disk, seconds; 0 if no row waits. */
  readonly waiting_secs: number;
}

/** `NotRemembered`: the store cannot answer; `reason`: a message. `Aborted`: the client has gone. */
export type StoreError =
  { readonly _tag: 'NotRemembered'; readonly reason: string } | { readonly _tag: 'Aborted' };

export interface Store {
  readonly state: StoreState;
  /** Writes a row within a second, after all that were written before. */
  write(statement: Statement): void;
  /** Writes at once, all in one transaction; the number of rows that changed. Left: nothing changed, unless the disk answers after the limit. */
  change(...statements: readonly Statement[]): TaskEither<StoreError, number>;
  /**
   * Reads rows, with all that was written before. Reads take turns, and rows that wait to be written go before each: a statement has
   * to end within 50 ms. A read whose `signal` is aborted is dropped.
   */
  read(statement: Statement, signal?: AbortSignal): TaskEither<StoreError, readonly Row[]>;
  /** Like `read`, but without any row that is written later. */
  snapshot(statement: Statement): TaskEither<StoreError, readonly Row[]>;
  /** Calls back when a store that failed can be used again, and with true when an empty file replaces a broken one. */
  onRecovery(listener: (isEmpty: boolean) => void): Cancel;
  /** Writes the waiting rows, and closes the file, within 5 s. Never rejects. */
  close(): Promise<void>;
}

const OFF: StoreError = { _tag: 'NotRemembered', reason: 'the server keeps no history (--history off)' };

const REFUSED: TaskEither<StoreError, never> = () => Promise.resolve(E.left(OFF));

/** The store of a server that is to remember nothing. */
export const NO_STORE: Store = {
  state: { state: 'off', problem: null, waiting_secs: 0 },
  write: () => undefined,
  change: () => REFUSED,
  read: () => REFUSED,
  snapshot: () => REFUSED,
  onRecovery: () => () => undefined,
  close: () => Promise.resolve(),
};

export interface StoreOptions extends StoreFile {
  readonly time: TimeSource;
  readonly log: Logger;
  /** Called if the file cannot be closed: its thread, which a system call holds, would keep the process from ending. */
  readonly stuck?: () => void;
}

/** How long rows are collected, ms: a write, and a busy machine, take the rest of the second in which a row is written. */
const BATCH_MS = 250;

/** How long closing may take, ms. */
const CLOSE_MS = 5_000;

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

class FileStore implements Store {
  private readonly waiting: { readonly statement: Statement; readonly since: number }[] = [];
  /** How many rows are written or dropped: the number of the first that waits. */
  private done = 0;
  /** The last flush, which the next one follows. Never rejects. */
  private flushed: Promise<Outcome | undefined> = Promise.resolve(undefined);
  private cancelBatch: Cancel | undefined;
  private isClosed = false;
  private hasOpened = false;
  /** The reason why the file cannot be used now. */
  private failure: Failure | undefined;
  private readonly recoveries = new Listeners<boolean>();
  private readonly stalls = new Listeners<Failure>();
  private thread: Promise<E.Either<Failure, Thread>>;
  /** The thread that works, or is being started. */
  private working: Thread | undefined;
  /** When the file was opened, or could not be. */
  private openedAt = 0;

  constructor(private readonly options: StoreOptions) {
    this.thread = this.open();
  }

  get state(): StoreState {
    const now = this.options.time.now();
    return {
      ...(this.failure === undefined
        ? { state: this.hasOpened ? 'ok' : 'opening', problem: null }
        : { state: 'failed', problem: this.messageOf(this.failure.problem) }),
      waiting_secs: Math.round(now - (this.waiting[0]?.since ?? now)) / 1000,
    };
  }

  write(statement: Statement): void {
    if (this.isClosed) return;
    this.waiting.push({ statement, since: this.options.time.now() });
    if (this.waiting.length > MOST_WAITING) this.drop(1);
    this.flushLater();
  }

  change(...statements: readonly Statement[]): TaskEither<StoreError, number> {
    return async () => {
      const outcome = await this.ask({ kind: 'write', statements });
      if (!('changes' in outcome) || defectsOf(outcome).length > 0) return this.refused(outcome);
      if (outcome.changes > 0) detached(this.shrink());
      return E.right(outcome.changes);
    };
  }

  read(statement: Statement, signal?: AbortSignal): TaskEither<StoreError, readonly Row[]> {
    return this.rowsOf({ kind: 'read', statement }, signal);
  }

  snapshot(statement: Statement): TaskEither<StoreError, readonly Row[]> {
    return this.rowsOf({ kind: 'snapshot', statement });
  }

  onRecovery(listener: (isEmpty: boolean) => void): Cancel {
    return this.recoveries.add(listener);
  }

  async close(): Promise<void> {
    const { time, log, path, stuck } = this.options;
    this.isClosed = true;
    const ended = await wait<true>({ time, ms: CLOSE_MS }, (settle) => {
      detached(this.end().then(() => settle(true)));
      return () => undefined;
    })();
    const lost = this.waiting.length;
    if (lost > 0) log.error({ path, lost }, 'the rows that wait for the disk are lost');
    if (E.isRight(ended)) return;
    log.error({ path }, 'the disk does not answer: the file stays open');
    this.working?.abandon();
    stuck?.();
  }

  private rowsOf(job: Job, signal?: AbortSignal): TaskEither<StoreError, readonly Row[]> {
    return async () => {
      const outcome = await this.ask(job, signal);
      return 'rows' in outcome ? E.right(JSON.parse(outcome.rows) as readonly Row[]) : this.refused(outcome);
    };
  }

  private async end(): Promise<void> {
    await this.flush();
    const thread = await this.thread;
    if (E.isRight(thread)) await thread.right.close();
  }

  private async open(): Promise<E.Either<Failure, Thread>> {
    this.openedAt = this.options.time.now();
    const opened = await this.tryToOpen();
    this.hasOpened = true;
    // A defect in a migration is one of the file.
    if (E.isLeft(opened)) this.notice({ ...opened.left, code: '' });
    return opened;
  }

  private async tryToOpen(): Promise<E.Either<Failure, Thread>> {
    const { path, migrations, time } = this.options;
    const missing = missingPackage('libsql');
    if (missing !== undefined) return E.left({ problem: missing, code: '' });
    try {
      const thread = await Thread.start({ path, migrations }, time, () => {
        this.notice(STALLED);
        this.stalls.call(STALLED);
      });
      this.working = thread;
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

  private async request(job: Job, signal?: AbortSignal): Promise<Outcome> {
    const thread = await this.opened();
    if (E.isLeft(thread)) return thread.left;
    const outcome = await thread.right.request(job, signal);
    // A full disk can still be read.
    const isNews = !('rows' in outcome) || outcome.aside !== undefined;
    if ((isNews || this.failure === STALLED) && outcome !== DROPPED && outcome !== CLOSED)
      this.notice(outcome);
    return outcome;
  }

  /** The outcome of a job, after all rows that wait now; a failure after at most 10 s while the disk does not answer. */
  private async ask(job: Job, signal?: AbortSignal): Promise<Outcome> {
    if (this.isClosed) return CLOSED;
    const left = new AbortController();
    const asked = async (): Promise<Outcome> => {
      const failed = await this.flush();
      return (job.kind === 'read' ? undefined : failed) ?? this.request(job, left.signal);
    };
    const limits = { time: this.options.time, ms: null, ...(signal && { signal }) };
    const answered = await wait<Outcome>(limits, (settle) => {
      detached(asked().then(settle));
      const cancel = this.stalls.add(settle);
      return () => {
        cancel();
        left.abort();
      };
    })();
    return E.isRight(answered) ? answered.right : DROPPED;
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
      const rows = this.waiting.slice(0, Math.min(MOST_IN_BATCH, end - this.done));
      const written = this.done + rows.length;
      const outcome = await this.request({
        kind: 'write',
        statements: rows.map(({ statement }) => statement),
      });
      if ('code' in outcome && PASSING.test(outcome.code)) {
        if (!this.isClosed) this.flushLater();
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

  /** Gives the space of deleted rows back to the disk, between other work. */
  private readonly shrink = shared(async () => {
    let outcome: Outcome;
    do outcome = await this.request({ kind: 'shrink' });
    while ('changes' in outcome && outcome.changes > 0 && !this.isClosed);
  });

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
    const hadFailed = this.failure !== undefined;
    this.failure = failure;
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
    if (outcome === DROPPED) return E.left({ _tag: 'Aborted' });
    const [reason = 'its thread gave another answer'] =
      'problem' in outcome ? [outcome.problem] : defectsOf(outcome);
    return E.left({ _tag: 'NotRemembered', reason: this.messageOf(reason) });
  }

  private messageOf(problem: string): string {
    return `${basename(this.options.path)} cannot be used: ${problem}`;
  }
}

/** Opens a store in the background: a file that cannot be used is said in the log and in `state`. */
export const openStore = (options: StoreOptions): Store => new FileStore(options);
