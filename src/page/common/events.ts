/** The events of the server, each once and in order, across reconnections of the WebSocket. */
import * as t from 'io-ts';
import { urlOf } from './api.js';
import { keepOpen, type KeptOpen, type SocketOptions } from './socket.js';

const Position = t.type({ seq: t.number, instance: t.string });

/** The position of an event among all events of a server. */
export type Position = t.TypeOf<typeof Position>;

interface EventsOptions extends Omit<SocketOptions, 'url' | 'isUpToDate'> {
  /** The run of the server whose events the page reads, from the oldest stored event on. */
  readonly instance: string;
  /** The query of each new WebSocket. */
  readonly query?: () => [name: string, value: string][];
  /** `isUpToDate` of the WebSocket, with the position of the last event. */
  readonly isUpToDate?: (last: Position) => boolean;
}

export const followEvents = ({
  instance,
  query = () => [],
  received,
  connected,
  isUpToDate = () => false,
  ask = () => undefined,
}: EventsOptions): KeptOpen => {
  let last: Position = { seq: 0, instance };
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
    isUpToDate: () => isUpToDate(last),
    ask,
  });
};
