/** The thread of a store, from the outside: it gets one job at a time. */
import { Worker } from 'node:worker_threads';
import type { Cancel, TimeSource } from '../async/time.js';
import { messageOf } from '../system/system-error.js';
import type { Failure, Job, Outcome, StoreFile } from './worker.js';

/** How long the thread may take for an answer, ms. */
const ANSWER_MS = 10_000;

/** The memory of a thread's JavaScript heap, MiB: a page of rows and little more. */
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** The outcome of a job that takes longer than `ANSWER_MS`. */
export const STALLED: Failure = { problem: `it has not answered for ${ANSWER_MS / 1000} s`, code: 'STALLED' };

/** The outcome of a job after the file was closed. */
export const CLOSED: Failure = { problem: 'it is closed', code: 'ENDED' };

/** The outcome of a read that nobody waits for any more. */
export const DROPPED: Failure = { problem: 'its client has gone', code: 'DROPPED' };

interface Task {
  readonly job: Job;
  readonly signal: AbortSignal | undefined;
  readonly settle: (outcome: Outcome) => void;
}

/** A thread with a file, which gets one job at a time: writes first, then the others in turn. */
export class Thread {
  private readonly first: Task[] = [];
  private readonly others: Task[] = [];
  private current: Task | undefined;
  private cancelLimit: Cancel | undefined;
  private ended: Failure | undefined;

  /** `stalled` is called each `ANSWER_MS` of a job. */
  private constructor(
    private readonly worker: Worker,
    private readonly time: TimeSource,
    private readonly stalled: () => void,
  ) {
    worker.unref();
    worker.on('message', (outcome: Outcome) => this.answer(outcome));
    worker.on('error', (error) => this.end(messageOf(error)));
    worker.on('exit', (status) => this.end(`its thread ended with status ${status}`));
  }

  static async start(file: StoreFile, time: TimeSource, stalled: () => void): Promise<Thread> {
    const { program } = await import('./worker.js');
    return new Thread(new Worker(program, { workerData: file, resourceLimits: HEAP }), time, stalled);
  }

  get hasEnded(): boolean {
    return this.ended !== undefined;
  }

  /** Resolves with a failure if the thread has ended. A job whose `signal` is aborted before its turn is dropped. */
  request(job: Job, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((settle) => {
      const { kind } = job;
      const isFirst = kind === 'open' || kind === 'write' || kind === 'snapshot';
      (isFirst ? this.first : this.others).push({ job, signal, settle });
      if (this.current === undefined) this.next();
    });
  }

  async close(): Promise<void> {
    if (this.ended !== undefined) return;
    await this.request({ kind: 'close' });
    await this.worker.terminate();
  }

  /** Waits for no answer any more, so that the event loop can end. */
  abandon(): void {
    this.worker.unref();
    this.cancelLimit?.();
  }

  private next(): void {
    for (let task = this.take(); task !== undefined; task = this.take()) {
      const outcome = this.ended ?? (task.signal?.aborted === true ? DROPPED : undefined);
      if (outcome === undefined) {
        this.begin(task);
        return;
      }
      task.settle(outcome);
    }
  }

  private take(): Task | undefined {
    return this.first.shift() ?? this.others.shift();
  }

  private begin(task: Task): void {
    this.current = task;
    const stall = (): void => {
      this.cancelLimit = this.time.after(ANSWER_MS, stall);
      this.stalled();
    };
    this.cancelLimit = this.time.after(ANSWER_MS, stall);
    // A thread that owes an answer keeps the process alive.
    this.worker.ref();
    this.worker.postMessage(task.job);
  }

  private answer(outcome: Outcome): void {
    const task = this.current;
    this.current = undefined;
    this.cancelLimit?.();
    this.worker.unref();
    // Another job would open the file again.
    if (task?.job.kind === 'close') this.ended ??= CLOSED;
    this.next();
    task?.settle(outcome);
  }

  private end(problem: string): void {
    this.ended ??= { problem, code: 'ENDED' };
    this.answer(this.ended);
  }
}
