import type { Cancel, Clock } from '../../src/time.js';

/** What a clock still has to say. */
export class Answers {
  private readonly pending = new Set<Cancel>();

  constructor(private readonly clock: Clock) {}

  /** Says it after `delayMs`; with none at once. What waits as long comes in order. */
  give(delayMs: number, say: () => void): void {
    if (delayMs === 0) {
      say();
      return;
    }
    const cancel = this.clock.after(delayMs, () => {
      this.pending.delete(cancel);
      say();
    });
    this.pending.add(cancel);
  }

  /** Nothing of it is said, and no timer is left behind. */
  cancel(): void {
    for (const cancel of this.pending) cancel();
    this.pending.clear();
  }
}
