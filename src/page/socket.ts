/** A WebSocket that is opened again whenever it has closed. */
import { token } from './token.js';

export interface SocketOptions {
  /** Asked at each opening. */
  readonly url: () => URL;
  readonly received: (message: unknown) => void;
  /** Whether there is a connection. */
  readonly connected: (is: boolean) => void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Goes on for as long as the page is open. */
export const keepOpen = ({ url, received, connected }: SocketOptions): void => {
  let pause = FIRST_PAUSE_MS;

  const open = (): void => {
    const at = url();
    at.protocol = at.protocol.replace('http', 'ws');
    const protocols = token.value === null ? [] : [`bearer.${token.value}`];
    const socket = new WebSocket(at, protocols);
    socket.addEventListener('open', () => {
      pause = FIRST_PAUSE_MS;
      connected(true);
    });
    socket.addEventListener('message', ({ data }) => received(JSON.parse(String(data))));
    socket.addEventListener('close', () => {
      connected(false);
      setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  };
  open();
};
