/** The events of the server, each once and in order, across reconnections of the WebSocket. */
import * as t from 'io-ts';
import { urlOf } from './api.js';
import { keepOpen, type KeptOpen } from './socket.js';

/** The position of an event among all events of a server. */
const Position = t.type({ seq: t.number, instance: t.string });

interface EventsOptions {
  /** The run of the server whose events the page reads, from the oldest stored event on. */
  readonly instance: string;
  /** The query of each new WebSocket. */
  readonly query?: () => [name: string, value: string][];
  readonly received: (event: unknown) => void;
  readonly connected: (is: boolean) => void;
}

export const followEvents = ({
  instance,
  query = () => [],
  received,
  connected,
}: EventsOptions): KeptOpen => {
  let last: t.TypeOf<typeof Position> = { seq: 0, instance };
  return keepOpen({
    url: () => {
      const url = urlOf('ws');
      const since = [
        ['since', String(last.seq)],
        ['instance', last.instance],
      ];
      url.search = String(new URLSearchParams([...since, ...query()]));
      return url;
    },
    received: (event) => {
      if (Position.is(event)) last = event;
      received(event);
    },
    connected,
  });
};
