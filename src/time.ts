/**
 * Time as it is passed in everywhere, so that a test can run it by hand.
 * All durations are milliseconds.
 */
export interface Clock {
  /** Milliseconds that only ever grow, whatever is done to the time of day: for durations. */
  now(): number;
  /** The time of day, for people and for what they read; it may jump. */
  date(): Date;
  /** Calls `task` once after `ms`, however long; the returned function cancels it. */
  after(ms: number, task: () => void): Cancel;
}

export type Cancel = () => void;

/** The longest that one timer of Node takes, ms: with more it fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own time. Its timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (ms, task) => {
    const arm = (left: number): NodeJS.Timeout =>
      left <= LONGEST_TIMER
        ? setTimeout(task, left)
        : setTimeout(() => {
            timer = arm(left - LONGEST_TIMER);
          }, LONGEST_TIMER);
    let timer = arm(ms);
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

/** `start`: its first `now`, and its first `date` in milliseconds since the Unix epoch. */
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
    date: () => new Date(now),
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
