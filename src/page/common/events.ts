/** The events of the server, each once and in order, over as many WebSockets as it takes. */
import { urlOf } from './api.js';
import { keepOpen, type KeptOpen } from './socket.js';

/** The last event that was received. */
interface Position {
  readonly seq: number;
  readonly instance: string;
}

export interface EventsOptions {
  /** Where to begin. */
  readonly from: Position;
  /** The requests to the server whenever a WebSocket is opened. */
  readonly query?: () => [name: string, value: string][];
  readonly received: (event: unknown) => void;
  /** Whether there is a connection. */
  readonly connected: (is: boolean) => void;
}

const isPosition = (event: unknown): event is Position =>
  typeof event === 'object' &&
  event !== null &&
  'seq' in event &&
  typeof event.seq === 'number' &&
  'instance' in event &&
  typeof event.instance === 'string';

/** Goes on for as long as the page is open. */
export const followEvents = ({ from, query = () => [], received, connected }: EventsOptions): KeptOpen => {
  let position = from;
  return keepOpen({
    url: () => {
      const url = urlOf('ws');
      const { seq, instance } = position;
      url.search = String(new URLSearchParams([['since', String(seq)], ['instance', instance], ...query()]));
      return url;
    },
    received: (event) => {
      if (isPosition(event)) position = { seq: event.seq, instance: event.instance };
      received(event);
    },
    connected,
  });
};
