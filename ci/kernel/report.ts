import type { SerialLog } from './log.js';

/** Passed and failed checks, numbered as they end: on the terminal and in the log. */
export class Report {
  passed = 0;
  failed = 0;

  constructor(
    private readonly log: SerialLog,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Runs a check; it fails by throwing a message. Resolves with whether it passed; rejects if `signal` has aborted
   * during it: an interrupted check has not failed.
   */
  async check(title: string, body: () => Promise<void> | void): Promise<boolean> {
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

  send(line: string): void {
    process.stdout.write(`${line}\n`);
    this.log.note(line);
  }
}
