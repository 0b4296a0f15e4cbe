/**
 * The time, passed in everywhere so that a test can advance it by hand.
 * All durations are milliseconds.
 */
export interface TimeSource {
  /** Milliseconds that only ever grow, whatever is done to the time of day: for durations. */
  now(): number;
  /** The time of day, for texts that people read; it may jump. */
  date(): Date;
  /** Calls `task` once after `ms`, of any length; the returned function cancels it. */
  after(ms: number, task: () => void): Cancel;
}

export type Cancel = () => void;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest delay of a timer of Node, ms: with a longer one it fires immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own time. Its timers keep the process alive until they fire or are cancelled. */
export const systemTime: TimeSource = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (ms, task) => {
    if (ms <= LONGEST_TIMER) {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    }
    let cancel = systemTime.after(LONGEST_TIMER, () => {
      cancel = systemTime.after(ms - LONGEST_TIMER, task);
    });
    return () => cancel();
  },
};
