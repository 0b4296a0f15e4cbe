import type { Cancel, TimeSource } from '../src/async/time.js';

/** Delayed tasks of a device, such as its responses. */
export class Timers {
  private readonly pending = new Set<Cancel>();

  constructor(private readonly time: TimeSource) {}

  /** Runs a task after `ms`, immediately if that is 0. Tasks with the same delay keep their order. */
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

  /** Drops all tasks; no timer is left. */
  clear(): void {
    for (const cancel of this.pending) cancel();
    this.pending.clear();
  }
}
