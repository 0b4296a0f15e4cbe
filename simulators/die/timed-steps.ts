import type { Cancel, TimeSource } from '../../src/async/time.js';

/** The steps of a movement that are still to come. */
export class TimedSteps {
  private pending: readonly Cancel[] = [];

  constructor(private readonly time: TimeSource) {}

  /** Each step as many ms from now; steps of an earlier movement are dropped. */
  start(steps: readonly (readonly [atMs: number, step: () => void])[]): void {
    this.cancel();
    this.pending = steps.map(([atMs, step]) => this.time.after(atMs, step));
  }

  cancel(): void {
    for (const cancel of this.pending) cancel();
    this.pending = [];
  }
}
