import type { Cancel, TimeSource } from '../async/time.js';

/** The least time between two runs of a paced task, ms. */
export const PACE_MS = 1;

/** A frequent task. */
export interface Paced {
  /** Runs it at the end of this turn of the event loop or, if it has just run, a millisecond after that. */
  readonly soon: () => void;
  readonly cancel: Cancel;
}

/** Runs a task at once, and several requests within `PACE_MS` as one. */
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
