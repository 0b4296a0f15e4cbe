/** A WebSocket that reopens after each close. */
import { token } from './api.js';

export interface SocketOptions {
  /** Called before each opening. */
  readonly url: () => URL;
  readonly received: (message: unknown) => void;
  /** Whether there is a connection. */
  readonly connected: (is: boolean) => void;
}

/** Sends to the server; false without a connection. */
export type Send = (text: string) => boolean;

const FIRST_PAUSE_MS = 250;
/** The longest pauses of a page that is looked at, and of one that is hidden. */
const LONGEST_PAUSE_MS = 1_000;
const LONGEST_HIDDEN_PAUSE_MS = 10_000;

/** Keeps a WebSocket open for as long as the page is open. */
export const keepOpen = ({ url, received, connected }: SocketOptions) => {
  let current: WebSocket | undefined;
  let pause = FIRST_PAUSE_MS;
  let pausing: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    pausing = undefined;
    const at = url();
    at.protocol = at.protocol.replace('http', 'ws');
    const protocols = token.value === null ? [] : [`bearer.${token.value}`];
    const socket = new WebSocket(at, protocols);
    current = socket;
    socket.addEventListener('open', () => {
      pause = FIRST_PAUSE_MS;
      connected(true);
    });
    socket.addEventListener('message', ({ data }) => received(JSON.parse(String(data))));
    socket.addEventListener('close', () => {
      connected(false);
      pausing = setTimeout(open, pause);
      const longest = document.hidden ? LONGEST_HIDDEN_PAUSE_MS : LONGEST_PAUSE_MS;
      pause = Math.min(pause * 2, longest);
    });
  };
  open();
  return {
    send: (text: string): boolean => {
      if (current?.readyState !== WebSocket.OPEN) return false;
      current.send(text);
      return true;
    },
    /** Ends a pause between two attempts to connect. */
    retryNow: () => {
      if (pausing === undefined) return;
      clearTimeout(pausing);
      open();
    },
  };
};

export type KeptOpen = ReturnType<typeof keepOpen>;
