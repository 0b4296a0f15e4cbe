import type { Cancel } from '../../src/async/time.js';
import { otherTurns } from './hci-host.js';

interface Waiting {
  readonly ms: number;
  readonly due: number;
  readonly task: () => void;
}

/** A clock that stands still until a test advances it; `start`: its first `now`, and its first `date` in ms since the Unix epoch. */
export const manualTime = (start = 0) => {
  let now = start;
  const waiting = new Set<Waiting>();
  let watchers: { readonly ms: number; readonly resolve: () => void }[] = [];

  /** The next due task; of several due at one time, the earliest added. */
  const next = (until: number): Waiting | undefined =>
    [...waiting].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
  /** Advances time by `ms`, and runs the due tasks in order. */
  const advance = (ms: number): void => {
    const until = now + ms;
    for (let entry = next(until); entry !== undefined; entry = next(until)) {
      waiting.delete(entry);
      now = entry.due;
      entry.task();
    }
    now = until;
  };
  return {
    now: () => now,
    date: () => new Date(now),
    after: (ms: number, task: () => void): Cancel => {
      const entry = { ms, due: now + Math.max(0, ms), task };
      waiting.add(entry);
      for (const watcher of watchers) if (watcher.ms === ms) watcher.resolve();
      watchers = watchers.filter((watcher) => watcher.ms !== ms);
      return () => void waiting.delete(entry);
    },
    advance,
    /** Advances time, and then runs everything that waits on the event loop. */
    pass: (ms: number): Promise<void> => {
      advance(ms);
      return otherTurns();
    },
    /** Resolves as soon as a task that waits exactly `ms` is pending. */
    armed: (ms: number) =>
      new Promise<void>((resolve) => {
        if ([...waiting].some((entry) => entry.ms === ms)) resolve();
        else watchers.push({ ms, resolve });
      }),
    /** How many tasks are still waiting. */
    get pending() {
      return waiting.size;
    },
  };
};
export type ManualTime = ReturnType<typeof manualTime>;
