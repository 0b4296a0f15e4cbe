/** Events to many sockets: each is made into text once, and only in the forms that clients have chosen. */
import type { Json } from 'fp-ts/lib/Json.js';
import { lazily } from '../lazily.js';
import type { Clock } from '../time.js';
import { jsonMessage, type Connection, type Message } from './route.js';

export interface Receiver {
  readonly connection: Connection;
  /** Opened with `?detail=full`. */
  readonly full: boolean;
}

/** What `?detail=full` adds to every event. */
export interface Stamp {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Rises by one with every event of the server. */
  readonly seq: number;
  readonly instance: string;
}

/** Sends one event to `receivers`. */
export type Broadcast = (
  receivers: Iterable<Receiver>,
  plain: () => Json,
  full: (stamp: Stamp) => Json,
) => void;

/** `instance` is another one at each start of the server. */
export const openBroadcast = (clock: Clock, instance: string): Broadcast => {
  let seq = 0;
  return (receivers, plain, full) => {
    seq += 1;
    const stamp = { time: clock.date().toISOString(), seq, instance };
    const plainText = lazily((): Message => jsonMessage(plain()));
    const fullText = lazily((): Message => jsonMessage(full(stamp)));
    for (const receiver of receivers) receiver.connection.send(receiver.full ? fullText() : plainText());
  };
};
