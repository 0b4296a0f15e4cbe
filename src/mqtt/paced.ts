import type { Cancel, TimeSource } from '../async/time.js';

/** The least time between two runs of a paced task, ms. */
export const PACE_MS = 1;

/** A task that is requested often. */
export interface Paced {
  /** Runs the task at the end of this turn of the event loop or, if it has just run, `PACE_MS` after that run. */
  readonly soon: () => void;
  readonly cancel: Cancel;
}

/** Makes several requests for a task within `PACE_MS` one run. */
export const paced = (time: TimeSource, task: () => void): Paced => {
  let cancel: Cancel | undefined;
  let ranAt = -PACE_MS;

  const run = (): void => {
    cancel = undefined;
    ranAt = time.now();
    task();
  };

  const schedule = (): Cancel => {
    const early = ranAt + PACE_MS - time.now();
    if (early > 0) return time.after(early, run);
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  };

  return {
    soon: () => {
      cancel ??= schedule();
    },
    cancel: () => {
      cancel?.();
      cancel = undefined;
    },
  };
};
