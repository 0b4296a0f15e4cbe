import { setMaxListeners } from 'node:events';
import type { Clock } from '../time.js';

/** How long a shutdown waits for running requests, ms. */
const DRAIN_MS = 5_000;

/** The requests being answered. */
export interface Requests {
  readonly closing: boolean;
  /**
   * Begins one on the connection whose other end `gone` tells of. Its signal is aborted when that has gone or the server
   * shuts down; `finished` is to be called when the response is sent.
   */
  readonly begin: (gone: AbortSignal) => { readonly signal: AbortSignal; readonly finished: () => void };
  /** Gives up what waits and resolves when all requests are finished, or the time for it is over. */
  readonly drain: () => Promise<void>;
}

/** What the requests of a connection share: they wait as long as it is there. */
interface Connection {
  readonly waiting: AbortController;
  running: number;
}

export const trackRequests = (clock: Clock): Requests => {
  const connections = new Map<AbortSignal, Connection>();
  let closing = false;
  let idle = (): void => undefined;

  const isIdle = (): boolean => [...connections.values()].every(({ running }) => running === 0);

  const track = (gone: AbortSignal): Connection => {
    const connection = { waiting: new AbortController(), running: 0 };
    // One listener for each wait under way: it is no leak, and Node would warn of one.
    setMaxListeners(0, connection.waiting.signal);
    connections.set(gone, connection);
    gone.addEventListener('abort', () => {
      connections.delete(gone);
      connection.waiting.abort();
      if (closing && isIdle()) idle();
    });
    return connection;
  };

  return {
    get closing() {
      return closing;
    },
    begin: (gone) => {
      const connection = connections.get(gone) ?? track(gone);
      connection.running += 1;
      const finished = (): void => {
        connection.running -= 1;
        if (closing && isIdle()) idle();
      };
      return { signal: connection.waiting.signal, finished };
    },
    drain: () =>
      new Promise((resolve) => {
        closing = true;
        if (isIdle()) {
          resolve();
          return;
        }
        const cancel = clock.after(DRAIN_MS, resolve);
        idle = () => {
          cancel();
          resolve();
        };
        for (const { waiting } of connections.values()) waiting.abort();
      }),
  };
};
