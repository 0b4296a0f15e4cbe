/** How the page stands with the server that it came from. */
import { signal } from '@preact/signals';
import { detached } from '../../async/defects.js';
import type { Pages } from '../../contract/index.js';
import { type Failure, token } from './api.js';
import type { KeptOpen } from './socket.js';

/** `reconnecting` until it is known whether the server is there at all. */
export type Connection = 'connecting' | 'open' | 'reconnecting' | 'lost' | 'token';

export const connection = signal<Connection>('connecting');
export const adapter = signal('poweredOn');
/** The pages of the server's rig; null: no rig is known. */
export const pages = signal<Pages | null>(null);
/** Whether there were events that the server could not send any more. */
export const missed = signal(false);

interface ServerOptions {
  /** Reads what the server knows; null: it was read. */
  readonly read: () => Promise<Failure | null>;
  /** Follows what happens from then on; called once. */
  readonly follow: (connected: (is: boolean) => void) => KeptOpen;
  /** How often to look for what makes no event. */
  readonly lookMs: number;
}

const RETRY_MS = 1_000;

/** Keeps what the page knows the same as what the server says. */
export const followServer = ({ read, follow, lookMs }: ServerOptions) => {
  let following: KeptOpen | undefined;

  const refresh = async (): Promise<boolean> => {
    const failure = await read();
    if (failure?.code === 'unauthorized') connection.value = 'token';
    else if (failure !== null && connection.value !== 'open') connection.value = 'lost';
    else if (connection.value === 'token') connection.value = 'connecting';
    return failure === null;
  };

  const connected = (is: boolean): void => {
    if (is) connection.value = 'open';
    else if (connection.value === 'open') connection.value = 'reconnecting';
    detached(refresh());
  };

  const start = async (): Promise<void> => {
    if (!(await refresh())) {
      if (connection.value === 'lost') setTimeout(() => detached(start()), RETRY_MS);
      return;
    }
    const { retryNow } = (following = follow(connected));
    window.addEventListener('online', retryNow);
    setInterval(() => {
      if (connection.value === 'open' && document.visibilityState === 'visible') detached(refresh());
    }, lookMs);
  };

  return {
    /** Reads what the server knows, again; whether it could. */
    refresh,
    /** Begins, and goes on for as long as the page is open. */
    start,
    /** Resolves when it is known whether the token was the right one. */
    useToken: async (given: string): Promise<void> => {
      token.value = given;
      if (following === undefined) return start();
      await refresh();
      following.retryNow();
    },
  };
};

export type Server = ReturnType<typeof followServer>;
