import { manualTime, type ManualTime } from './manual-time.js';

/** A clock that stands still, and reports when something begins to wait on it. */
export interface SteppedTime extends ManualTime {
  /** Resolves as soon as a task that waits exactly `ms` is pending. */
  armed(ms: number): Promise<void>;
  /** Waits until something waits for `ms`, then moves on by `ms`. */
  pass(ms: number): Promise<void>;
}

export const steppedTime = (start = 0): SteppedTime => {
  const time = manualTime(start);
  const pending = new Map<number, number>();
  let watchers: { readonly ms: number; readonly resolve: () => void }[] = [];
  let order = 0;
  const armed = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if ([...pending.values()].includes(ms)) resolve();
      else watchers.push({ ms, resolve });
    });
  return {
    now: () => time.now(),
    date: () => time.date(),
    after: (ms, task) => {
      const id = order++;
      pending.set(id, ms);
      const cancel = time.after(ms, () => {
        pending.delete(id);
        task();
      });
      for (const watcher of watchers.filter((candidate) => candidate.ms === ms)) watcher.resolve();
      watchers = watchers.filter((candidate) => candidate.ms !== ms);
      return () => {
        pending.delete(id);
        cancel();
      };
    },
    advance: (ms) => time.advance(ms),
    get pending() {
      return time.pending;
    },
    armed,
    pass: async (ms) => {
      await armed(ms);
      time.advance(ms);
    },
  };
};
