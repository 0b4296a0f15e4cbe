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

  /** One timer at a time: Node may run overdue timers in another order. */
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
