import type { TimeSource } from '../../src/async/time.js';
import { otherTurns } from './hci-host.js';

/** A clock that stands still until a test advances it. */
export interface ManualTime extends TimeSource {
  /** Moves time on by `ms`, running what falls due, in order. */
  advance(ms: number): void;
  /** The same, and then whatever follows in this process gets its turns. */
  pass(ms: number): Promise<void>;
  /** How many tasks are still waiting. */
  readonly pending: number;
}

/** `start`: its first `now`, and its first `date` in milliseconds since the Unix epoch. */
export const manualTime = (start = 0): ManualTime => {
  let now = start;
  let order = 0;
  const waiting = new Map<number, { due: number; task: () => void }>();
  const next = (until: number): [number, { due: number; task: () => void }] | undefined =>
    [...waiting]
      .filter(([, entry]) => entry.due <= until)
      .sort(([a, x], [b, y]) => x.due - y.due || a - b)[0];
  const advance = (ms: number): void => {
    const until = now + ms;
    for (let entry = next(until); entry !== undefined; entry = next(until)) {
      const [id, { due, task }] = entry;
      waiting.delete(id);
      now = due;
      task();
    }
    now = until;
  };
  return {
    now: () => now,
    date: () => new Date(now),
    after: (ms, task) => {
      const id = order++;
      waiting.set(id, { due: now + Math.max(0, ms), task });
      return () => void waiting.delete(id);
    },
    advance,
    pass: (ms) => {
      advance(ms);
      return otherTurns();
    },
    get pending() {
      return waiting.size;
    },
  };
};
