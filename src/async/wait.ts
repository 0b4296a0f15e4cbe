import { setMaxListeners } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Cancel, TimeSource } from './time.js';

/** The reason why a wait ended without a result. */
export type Unmet = 'timeout' | 'aborted';

export interface WaitLimits {
  readonly time: TimeSource;
  /** Milliseconds; null: no limit of time. */
  readonly ms: number | null;
  readonly signal?: AbortSignal;
}

/**
 * Waits until `start` settles, with a value or with a promise of one; later results are ignored. The task that `start`
 * returns is called exactly once then, to remove its listeners.
 */
export const settled =
  <A>(start: (settle: (value: A | Promise<A>) => void) => Cancel): Task<A> =>
  () =>
    new Promise((resolve) => {
      const progress: { over: boolean; stop: Cancel } = { over: false, stop: () => undefined };
      const stop = start((value) => {
        if (progress.over) return;
        progress.over = true;
        resolve(value);
        progress.stop();
      });
      if (progress.over) stop();
      else progress.stop = stop;
    });

/** Like `settled`, but fails with the reason if the time is up or `signal` aborts first. */
export const wait = <A>(
  { time, ms, signal }: WaitLimits,
  start: (settle: (value: A) => void) => Cancel,
): Task<E.Either<Unmet, A>> =>
  settled((settle) => {
    const aborted = (): void => settle(E.left('aborted'));
    if (signal?.aborted === true) aborted();
    // Node would take many waits for the same signal for a leak.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', aborted);
    const cancel = ms === null ? undefined : time.after(ms, () => settle(E.left('timeout')));
    const stop = start((value) => settle(E.right(value)));
    return () => {
      signal?.removeEventListener('abort', aborted);
      cancel?.();
      stop();
    };
  });

/** Waits until the time is up or `signal` aborts. */
export const pause = (limits: WaitLimits): Promise<unknown> => wait<never>(limits, () => () => undefined)();

/** A task with one run at a time: callers during a run get the result of that run. */
export const shared = <A>(task: Task<A>): Task<A> => {
  let running: Promise<A> | undefined;
  return () =>
    (running ??= task().finally(() => {
      running = undefined;
    }));
};
