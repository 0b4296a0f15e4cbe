/**
 * Time as it is passed in everywhere, so that a test can run it by hand.
 * All durations are milliseconds; `now` is milliseconds since the Unix epoch.
 */
export interface Clock {
  now(): number;
  /** Calls `task` once after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): Cancel;
}

export type Cancel = () => void;

/** The machine's own time. Its timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until a test advances it. */
export interface ManualClock extends Clock {
  /** Moves time on by `ms`, running what falls due, in order. */
  advance(ms: number): void;
  /** How many tasks are still waiting. */
  readonly pending: number;
}

export const manualClock = (start = 0): ManualClock => {
  let now = start;
  let order = 0;
  const waiting = new Map<number, { due: number; task: () => void }>();
  const next = (until: number): [number, { due: number; task: () => void }] | undefined =>
    [...waiting]
      .filter(([, entry]) => entry.due <= until)
      .sort(([a, x], [b, y]) => x.due - y.due || a - b)[0];
  return {
    now: () => now,
    after: (ms, task) => {
      const id = order++;
      waiting.set(id, { due: now + Math.max(0, ms), task });
      return () => void waiting.delete(id);
    },
    advance: (ms) => {
      const until = now + ms;
      for (let entry = next(until); entry !== undefined; entry = next(until)) {
        const [id, { due, task }] = entry;
        waiting.delete(id);
        now = due;
        task();
      }
      now = until;
    },
    get pending() {
      return waiting.size;
    },
  };
};
