import type { Cancel, TimeSource } from '../../../src/async/time.js';

/** A step, and when it is due, ms from the start. */
export type TimedStep = readonly [atMs: number, step: () => void];

/** The steps of a movement that are still to come. */
export class TimedSteps {
  private pending: Cancel | undefined;

  constructor(private readonly time: TimeSource) {}

  /** Runs the steps in the order of their times; steps of an earlier movement are dropped. */
  start(steps: readonly TimedStep[]): void {
    this.cancel();
    const inOrder = [...steps].sort(([one], [other]) => one - other);
    this.waitFor(inOrder, this.time.now());
  }

  cancel(): void {
    this.pending?.();
    this.pending = undefined;
  }

  /** One timer at a time: Node may run those that are overdue in another order. */
  private waitFor([first, ...others]: readonly TimedStep[], startedAt: number): void {
    if (first === undefined) return;
    const [atMs, step] = first;
    this.pending = this.time.after(Math.max(0, startedAt + atMs - this.time.now()), () => {
      this.pending = undefined;
      this.waitFor(others, startedAt);
      step();
    });
  }
}
