import type { Cancel, TimeSource } from '../../src/async/time.js';

/** What a device does later, until it is closed. */
export class Timers {
  private readonly pending = new Set<Cancel>();

  constructor(private readonly time: TimeSource) {}

  /** Runs a task in so many milliseconds, at once if that is 0. */
  readonly later = (ms: number, task: () => void): void => {
    if (ms === 0) {
      task();
      return;
    }
    const cancel = this.time.after(ms, () => {
      this.pending.delete(cancel);
      task();
    });
    this.pending.add(cancel);
  };

  clear(): void {
    for (const cancel of this.pending) cancel();
    this.pending.clear();
  }
}
