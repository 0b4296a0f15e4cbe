/** A WebSocket that reopens after each close, and after a silence in which it should have brought a message. */
import { token } from './api.js';

export interface SocketOptions {
  /** Called before each opening. */
  readonly url: () => URL;
  readonly received: (message: unknown) => void;
  /** Whether there is a connection. */
  readonly connected: (is: boolean) => void;
  /** Whether the page has all that the server has sent. */
  readonly isUpToDate?: () => boolean;
  /** Asks the server for a message, if only a message shows that the connection lives. */
  readonly ask?: () => void;
}

/** Sends to the server; false without a connection. */
export type Send = (text: string) => boolean;

const FIRST_PAUSE_MS = 250;
/** The longest pauses of a page that is looked at, and of one that is hidden. */
const LONGEST_PAUSE_MS = 1_000;
const LONGEST_HIDDEN_PAUSE_MS = 10_000;
/** The limit of an attempt to open, which a network without a way to the server leaves unanswered. */
const OPENING_MS = 5_000;
/** The time for a message to arrive that the server has sent, or is asked for. */
const ARRIVAL_MS = 4_000;

/** Whether `settle` is called within `ms`. */
const within = (ms: number, start: (settle: () => void) => void): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    start(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });

/** Keeps a WebSocket open for as long as the page is open. */
export const keepOpen = ({ url, received, connected, isUpToDate, ask }: SocketOptions) => {
  let current: WebSocket | undefined;
  /** Leaves the current WebSocket, without waiting for its close. */
  let leave = (): void => undefined;
  /** Called with each message. */
  let heard = (): void => undefined;
  let pause = FIRST_PAUSE_MS;
  let pausing: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    clearTimeout(pausing);
    pausing = undefined;
    const at = url();
    at.protocol = at.protocol.replace('http', 'ws');
    const protocols = token.value === null ? [] : [`bearer.${token.value}`];
    const socket = (current = new WebSocket(at, protocols));
    const left = new AbortController();
    const { signal } = left;
    const ended = (): void => {
      leave();
      connected(false);
      pausing = setTimeout(open, pause);
      const longest = document.hidden ? LONGEST_HIDDEN_PAUSE_MS : LONGEST_PAUSE_MS;
      pause = Math.min(pause * 2, longest);
    };
    const opening = setTimeout(ended, OPENING_MS);
    leave = () => {
      clearTimeout(opening);
      left.abort();
      socket.close();
    };
    const opened = (): void => {
      clearTimeout(opening);
      pause = FIRST_PAUSE_MS;
      connected(true);
    };
    const message = ({ data }: MessageEvent): void => {
      heard();
      received(JSON.parse(String(data)));
    };
    socket.addEventListener('open', opened, { signal });
    socket.addEventListener('message', message, { signal });
    socket.addEventListener('close', ended, { signal });
  };
  open();

  /** Leaves an open WebSocket that is dead without a close, and opens another one at once. */
  const reopen = (): void => {
    leave();
    connected(false);
    open();
  };
  const isOpen = (): boolean => current?.readyState === WebSocket.OPEN;
  const checkOpen = async (): Promise<void> => {
    const checked = current;
    const hears = within(ARRIVAL_MS, (settle) => (heard = settle));
    ask?.();
    if (!(isUpToDate?.() ?? false) && !(await hears) && checked === current && isOpen()) reopen();
  };
  let checking: Promise<void> | undefined;

  return {
    send: (text: string): boolean => {
      if (!isOpen()) return false;
      current?.send(text);
      return true;
    },
    reopen,
    /** Ends a pause between two attempts to connect; reopens an open WebSocket that brings no message though it should. */
    check: async (): Promise<void> => {
      if (pausing !== undefined) open();
      else if (isOpen())
        await (checking ??= checkOpen().finally(() => {
          checking = undefined;
        }));
    },
  };
};

export type KeptOpen = ReturnType<typeof keepOpen>;
