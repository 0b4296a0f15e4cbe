import type { Cancel, TimeSource } from '../src/async/time.js';

/** The responses that a device has not sent yet. */
export class DelayedResponses {
  private readonly pending = new Set<Cancel>();

  constructor(private readonly time: TimeSource) {}

  /** Calls `send` after `delayMs`, immediately if that is 0. Responses with the same delay keep their order. */
  add(delayMs: number, send: () => void): void {
    if (delayMs === 0) {
      send();
      return;
    }
    const cancel = this.time.after(delayMs, () => {
      this.pending.delete(cancel);
      send();
    });
    this.pending.add(cancel);
  }

  /** Drops all of them; no timer is left. */
  cancel(): void {
    for (const cancel of this.pending) cancel();
    this.pending.clear();
  }
}
