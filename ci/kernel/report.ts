import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** The folder of log, trace and results of the features. */
export const REPORTS = 'reports/kernel';

/** Checks by their titles; a check fails by throwing a message. */
export type Checks = Readonly<Record<string, () => unknown>>;

/** Passed and failed checks, numbered in the order of their ends: on the terminal, and in a log with input and output of programs. */
export class Report {
  passed = 0;
  failed = 0;
  private readonly log: WriteStream;

  constructor(
    path: string,
    private readonly signal: AbortSignal,
  ) {
    this.log = createWriteStream(path);
  }

  /**
   * Runs a check. Resolves with whether it passed; rejects if `signal` has aborted during it: an interrupted check has
   * not failed.
   */
  async check(title: string, body: () => unknown): Promise<boolean> {
    try {
      await body();
      this.passed++;
      this.send(`ok ${this.passed + this.failed} - ${title}`);
      return true;
    } catch (error) {
      this.signal.throwIfAborted();
      this.failed++;
      this.send(`not ok ${this.passed + this.failed} - ${title}`);
      for (const line of (error instanceof Error ? error.message : String(error)).split('\n')) {
        this.send(`# ${line}`);
      }
      return false;
    }
  }

  /** Runs dependent checks up to the first failure. Resolves with whether all passed. */
  async checks(checks: Checks): Promise<boolean> {
    for (const [title, body] of Object.entries(checks)) if (!(await this.check(title, body))) return false;
    return true;
  }

  async each(checks: Checks): Promise<void> {
    for (const [title, body] of Object.entries(checks)) await this.check(title, body);
  }

  send(line: string): void {
    process.stdout.write(`${line}\n`);
    this.note(line);
  }

  note(line: string): void {
    this.log.write(`${line}\n`);
  }

  async close(): Promise<void> {
    this.log.end();
    await once(this.log, 'finish');
  }
}
