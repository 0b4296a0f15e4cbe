/** The connection between the page and its server. */
import { signal } from '@preact/signals';
import { detached } from '../../async/defects.js';
import type { Pages } from '../../contract/index.js';
import { type Outcome, token, UNREACHABLE } from './api.js';
import type { KeptOpen } from './socket.js';

/** `reconnecting` until the page knows whether the server can be reached. */
export type Connection = 'connecting' | 'open' | 'reconnecting' | 'lost' | 'token';

export const connection = signal<Connection>('connecting');
export const adapter = signal('poweredOn');
/** The pages of the server's rig; null without a rig. */
export const pages = signal<Pages | null>(null);
/** Whether the server announces its devices to Home Assistant. */
export const inHomeAssistant = signal(false);
/** Whether the server has dropped events that the page has not received. */
export const missed = signal(false);

interface ServerOptions {
  /** Reads the state of the server, until `signal` aborts. */
  readonly read: (signal: AbortSignal) => Outcome;
  /** Follows the later events; called once. */
  readonly follow: (connected: (is: boolean) => void) => KeptOpen;
  /** The interval of reads, for changes without an event. */
  readonly lookMs: number;
}

const RETRY_MS = 1_000;
/** The limit of a read, which a network without a way to the server leaves unanswered. */
const READ_MS = 5_000;

/** Keeps the page up to date with the server. */
export const followServer = ({ read, follow, lookMs }: ServerOptions) => {
  let following: KeptOpen | undefined;
  let openings = 0;

  const refresh = async (): Promise<boolean> => {
    const before = openings;
    const failure = await read(AbortSignal.timeout(READ_MS));
    if (failure?.code === 'unauthorized') connection.value = 'token';
    else if (failure !== null && connection.value !== 'open') connection.value = 'lost';
    else if (connection.value === 'token') connection.value = 'connecting';
    else if (failure?.code === UNREACHABLE.code && openings === before) following?.reopen();
    return failure === null;
  };

  const connected = (is: boolean): void => {
    if (is) {
      connection.value = 'open';
      openings += 1;
    } else if (connection.value === 'open') connection.value = 'reconnecting';
    detached(refresh());
  };

  let isLooking = false;

  /** Reads the state of the server and checks the connection, unless nobody looks at the page. */
  const look = async (): Promise<void> => {
    if (document.hidden || isLooking) return;
    isLooking = true;
    try {
      if (connection.value === 'open') await refresh();
      await following?.check();
    } finally {
      isLooking = false;
    }
  };
  const lookNow = (): void => detached(look());

  const start = async (): Promise<void> => {
    if (!(await refresh())) {
      if (connection.value === 'lost') setTimeout(() => detached(start()), RETRY_MS);
      return;
    }
    following = follow(connected);
    window.addEventListener('online', lookNow);
    document.addEventListener('visibilitychange', lookNow);
    setInterval(() => {
      if (connection.value === 'open') lookNow();
    }, lookMs);
  };

  return {
    /** Reads the state of the server again; resolves to whether that succeeded. */
    refresh,
    /** Begins to follow the server, for as long as the page is open. */
    start,
    /** Resolves when the server has accepted or refused the token. */
    useToken: async (secret: string): Promise<void> => {
      token.value = secret;
      if (following === undefined) return start();
      await refresh();
      await following.check();
    },
  };
};

export type Server = ReturnType<typeof followServer>;
