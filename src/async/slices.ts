/** Work that comes in many small tasks, cut so that other work gets its turn in between. */
import type { TimeSource } from './time.js';

/** The most time for tasks in one turn of the event loop, ms; the last task may take longer. */
export const SLICE_MS = 5;

/** Runs `task` now, or in a later turn of the event loop after all waiting tasks; false: the task waits. */
export type Slices = (task: () => void) => boolean;

/** Runs tasks in order, for `SLICE_MS` in each turn of the event loop. */
export const openSlices = (time: TimeSource): Slices => {
  const waiting: (() => void)[] = [];
  let usedMs = 0;
  let begun = false;

  const run = (task: () => void): void => {
    const began = time.now();
    task();
    usedMs += time.now() - began;
  };

  const beginTurn = (): void => {
    if (begun) return;
    begun = true;
    setImmediate(nextTurn);
  };

  const nextTurn = (): void => {
    begun = false;
    usedMs = 0;
    while (usedMs < SLICE_MS) {
      const task = waiting.shift();
      if (task === undefined) return;
      beginTurn();
      run(task);
    }
  };

  return (task) => {
    beginTurn();
    if (usedMs >= SLICE_MS || waiting.length > 0) {
      waiting.push(task);
      return false;
    }
    run(task);
    return true;
  };
};

/** Separate slices for each client, so that no client waits for the work of another. */
export const openClientSlices = (time: TimeSource) => {
  const clients = new Map<string, { readonly run: Slices; users: number }>();
  return {
    /** The slices of `client`, shared until all their users have left. */
    enter: (client: string) => {
      const slices = clients.get(client) ?? { run: openSlices(time), users: 0 };
      clients.set(client, slices);
      slices.users += 1;
      return {
        run: slices.run,
        leave: () => {
          slices.users -= 1;
          if (slices.users === 0) clients.delete(client);
        },
      };
    },
  };
};

export type ClientSlices = ReturnType<typeof openClientSlices>;
