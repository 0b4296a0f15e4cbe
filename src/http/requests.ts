import type { Clock } from '../time.js';

/** How long a shutdown waits for running requests, ms. */
const DRAIN_MS = 5_000;

/** The requests being answered, each with the signal that its client has gone or the server shuts down. */
export interface Requests {
  readonly closing: boolean;
  /** `finished` is to be called when the response is sent or never will be; `gone` is aborted when the client disconnects. */
  readonly begin: (gone: AbortSignal) => {
    readonly signal: AbortSignal;
    readonly finished: (answered: boolean) => void;
  };
  /** Gives up what waits and resolves when all requests are finished, or the time for it is over. */
  readonly drain: () => Promise<void>;
}

export const trackRequests = (clock: Clock): Requests => {
  const running = new Set<AbortController>();
  let closing = false;
  let idle = (): void => undefined;
  return {
    get closing() {
      return closing;
    },
    begin: (gone) => {
      const controller = new AbortController();
      running.add(controller);
      const finished = (answered: boolean): void => {
        gone.removeEventListener('abort', giveUp);
        running.delete(controller);
        if (!answered) controller.abort();
        if (running.size === 0) idle();
      };
      const giveUp = (): void => finished(false);
      gone.addEventListener('abort', giveUp);
      return { signal: controller.signal, finished };
    },
    drain: () =>
      new Promise((resolve) => {
        closing = true;
        if (running.size === 0) {
          resolve();
          return;
        }
        const cancel = clock.after(DRAIN_MS, resolve);
        idle = () => {
          cancel();
          resolve();
        };
        for (const controller of running) controller.abort();
      }),
  };
};
