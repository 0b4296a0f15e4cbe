import type { SerialLog } from './log.js';

/** What was proven and what was not, numbered, as it goes: on the terminal and in the log. */
export class Report {
  passed = 0;
  failed = 0;

  constructor(
    private readonly log: SerialLog,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Runs a check; it fails by throwing a sentence. Resolves with whether it held; rejects if `signal` has aborted
   * during it: what was interrupted has not failed.
   */
  async prove(what: string, check: () => Promise<void> | void): Promise<boolean> {
    try {
      await check();
      this.passed++;
      this.send(`ok ${this.passed + this.failed} - ${what}`);
      return true;
    } catch (error) {
      this.signal.throwIfAborted();
      this.failed++;
      this.send(`not ok ${this.passed + this.failed} - ${what}`);
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
