/** The stream of all dice: each event is serialised once and sent to every socket that subscribed to it. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { DeviceError } from '../ble/device-error.js';
import {
  fromDeviceError,
  openBroadcast,
  socketRoute,
  type Receiver,
  type SocketRoute,
} from '../http/index.js';
import type { Clock } from '../time.js';
import { DetailedDiceEvent, DiceEvent, events } from './contract.js';
import type { Origin } from './sessions.js';

export interface Stream {
  readonly publish: (origin: Origin, event: DiceEvent) => void;
  /** How many sockets listen. */
  readonly listeners: number;
  readonly route: SocketRoute;
}

interface Subscriber extends Receiver {
  /** Empty: all dice. */
  readonly sessions: ReadonlySet<string>;
}

/** `checkSession` says whether a session id in a query is one. `instance` differs at each start. */
export const openStream = (
  clock: Clock,
  instance: string,
  checkSession: (id: string) => E.Either<DeviceError, unknown>,
): Stream => {
  const subscribers = new Set<Subscriber>();
  const broadcast = openBroadcast(clock, instance);

  return {
    publish: ({ sessionId, address }, event) => {
      const wanted = [...subscribers].filter(
        ({ sessions }) => sessions.size === 0 || sessions.has(sessionId),
      );
      broadcast(
        wanted,
        () => DiceEvent.encode(event),
        (stamp) => DetailedDiceEvent.encode({ ...event, session_id: sessionId, address, ...stamp }),
      );
    },
    get listeners() {
      return subscribers.size;
    },
    route: socketRoute(events, ({ detail, session_id: ids = [] }) =>
      pipe(
        ids,
        E.traverseArray(checkSession),
        E.mapLeft(fromDeviceError),
        E.map(() => (connection) => {
          const subscriber = { connection, full: detail === 'full', sessions: new Set(ids) };
          subscribers.add(subscriber);
          return {
            // The stream only sends; messages of clients are ignored.
            message: () => undefined,
            closed: () => void subscribers.delete(subscriber),
          };
        }),
      ),
    ),
  };
};
