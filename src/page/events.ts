/** The events of the server, each once and in order, over as many WebSockets as it takes. */
import { urlOf } from './api.js';
import { token } from './token.js';

/** The last event that was received. */
interface Position {
  readonly seq: number;
  readonly instance: string;
}

export interface EventsOptions {
  /** Where to begin. */
  readonly from: Position;
  /** What else the server is asked for whenever a WebSocket is opened. */
  readonly query?: () => [name: string, value: string][];
  readonly received: (event: unknown) => void;
  /** Whether there is a connection. */
  readonly connected: (is: boolean) => void;
}

/** Sends to the server, if there is a connection; false if there is none. */
export type Send = (text: string) => boolean;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

const isPosition = (event: unknown): event is Position =>
  typeof event === 'object' &&
  event !== null &&
  'seq' in event &&
  typeof event.seq === 'number' &&
  'instance' in event &&
  typeof event.instance === 'string';

/** What is done over the WebSocket that is open now. */
export interface Following {
  readonly send: Send;
  /** Ends a pause between two attempts to connect. */
  readonly retryNow: () => void;
}

/** Goes on for as long as the page is open. */
export const followEvents = ({ from, query = () => [], received, connected }: EventsOptions): Following => {
  let position = from;
  let current: WebSocket | undefined;
  let pause = FIRST_PAUSE_MS;
  let pausing: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    pausing = undefined;
    const url = urlOf('ws');
    url.protocol = url.protocol.replace('http', 'ws');
    const { seq, instance } = position;
    url.search = String(new URLSearchParams([['since', String(seq)], ['instance', instance], ...query()]));
    const protocols = token.value === null ? [] : [`bearer.${token.value}`];
    const socket = new WebSocket(url, protocols);
    current = socket;
    socket.addEventListener('open', () => {
      pause = FIRST_PAUSE_MS;
      connected(true);
    });
    socket.addEventListener('message', ({ data }) => {
      const event: unknown = JSON.parse(String(data));
      if (isPosition(event)) position = { seq: event.seq, instance: event.instance };
      received(event);
    });
    socket.addEventListener('close', () => {
      connected(false);
      pausing = setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  };
  open();
  return {
    send: (text) => {
      if (current?.readyState !== WebSocket.OPEN) return false;
      current.send(text);
      return true;
    },
    retryNow: () => {
      if (pausing === undefined) return;
      clearTimeout(pausing);
      open();
    },
  };
};
