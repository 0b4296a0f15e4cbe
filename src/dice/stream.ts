/** The stream of all dice: each event is made into text once and sent to every socket that wants it. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  decode,
  jsonMessage,
  queryFields,
  type Connection,
  type Message,
  type ServerError,
  type SocketRoute,
} from '../http/index.js';
import type { Clock } from '../time.js';
import { DetailedDiceEvent, DiceEvent, StreamQuery } from './contract.js';
import type { Origin } from './sessions.js';

export interface Stream {
  readonly publish: (origin: Origin, event: DiceEvent) => void;
  /** How many sockets listen. */
  readonly listeners: number;
  readonly route: SocketRoute;
}

interface Subscriber {
  readonly connection: Connection;
  readonly full: boolean;
  /** Empty: all dice. */
  readonly sessions: ReadonlySet<string>;
}

/** A value made when it is first asked for. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => (made ??= { value: make() }).value;
};

/** `checkSession` says whether a session id in a query is one. `instance` is another one at each start. */
export const openStream = (
  clock: Clock,
  instance: string,
  checkSession: (id: string) => E.Either<ServerError, unknown>,
): Stream => {
  const subscribers = new Set<Subscriber>();
  let seq = 0;

  return {
    publish: ({ sessionId, address }, event) => {
      seq += 1;
      const detail = {
        session_id: sessionId,
        address,
        time: new Date(clock.now()).toISOString(),
        seq,
        instance,
      };
      const plain = once((): Message => jsonMessage(DiceEvent.encode(event)));
      const full = once((): Message => jsonMessage(DetailedDiceEvent.encode({ ...event, ...detail })));
      for (const subscriber of subscribers) {
        if (subscriber.sessions.size > 0 && !subscriber.sessions.has(sessionId)) continue;
        subscriber.connection.send(subscriber.full ? full() : plain());
      }
    },
    get listeners() {
      return subscribers.size;
    },
    route: {
      path: '/ws',
      accept: (query) => {
        const ids = query.getAll('session_id');
        return pipe(
          decode(StreamQuery, 'the query')(queryFields(query)),
          E.chainFirst(() => E.traverseArray(checkSession)(ids)),
          E.map(({ detail }) => (connection) => {
            const subscriber = { connection, full: detail === 'full', sessions: new Set(ids) };
            subscribers.add(subscriber);
            return {
              // The stream only goes out; what a client says to it is of no meaning.
              message: () => undefined,
              closed: () => void subscribers.delete(subscriber),
            };
          }),
        );
      },
    },
  };
};
