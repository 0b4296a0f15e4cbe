/** The WebSocket: events of all dice, each serialised once and sent to every subscribed socket. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { DeviceError } from '../devices/device-error.js';
import { socketRoute, type Connection, type SocketListener } from '../http/index.js';
import { fromDeviceError, type Broadcast, type Position, type Receiver } from '../operations/index.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Fleet } from '../mqtt/index.js';
import { DetailedDiceEvent, DiceEvent, events } from './contract.js';
import type { Origin } from './session.js';

interface Subscriber extends Receiver {
  /** Empty: all dice. */
  readonly sessions: ReadonlySet<string>;
}

const wants = ({ sessions }: Subscriber, sessionId: string): boolean =>
  sessions.size === 0 || sessions.has(sessionId);

export interface StreamOptions {
  readonly broadcast: Broadcast;
  readonly fleet: Pick<Fleet, 'receivers' | 'changed'>;
  readonly metrics: Pick<Metrics, 'events' | 'reconnects'>;
  /** Left: no session has this id. */
  readonly checkSession: (id: string) => E.Either<DeviceError, unknown>;
}

export const openStream = ({ broadcast, fleet, metrics, checkSession }: StreamOptions) => {
  const subscribers = new Set<Subscriber>();

  const open = (subscriber: Subscriber, position: Position | undefined): SocketListener => {
    subscribers.add(subscriber);
    if (position !== undefined) {
      broadcast.resume(subscriber, position, (sessionId) => wants(subscriber, sessionId));
    }
    return {
      // Messages of clients are ignored.
      message: () => undefined,
      closed: () => void subscribers.delete(subscriber),
    };
  };

  return {
    /** Returns the time of the event, milliseconds since the Unix epoch. */
    publish: ({ sessionId, address }: Origin, event: DiceEvent): number => {
      metrics.events.inc({ kind: event.kind });
      if (event.kind === 'Reconnected') metrics.reconnects.inc();
      const receivers: Receiver[] = [];
      for (const subscriber of subscribers) if (wants(subscriber, sessionId)) receivers.push(subscriber);
      receivers.push(...fleet.receivers(address));
      const time = broadcast.publish(
        sessionId,
        receivers,
        () => DiceEvent.encode(event),
        (stamp) => DetailedDiceEvent.encode({ ...event, session_id: sessionId, address, ...stamp }),
      );
      fleet.changed(address);
      return time;
    },
    /** How many sockets are open. */
    get listeners(): number {
      return subscribers.size;
    },
    route: socketRoute(events, ({ detail, session_id: ids = [], ...query }) =>
      pipe(
        broadcast.position(query),
        E.chainW((position) => {
          const chosen = { full: detail === 'full' || position !== undefined, sessions: new Set(ids) };
          // A client that comes back may name a session that has ended meanwhile.
          return pipe(
            position === undefined ? ids : [],
            E.traverseArray(checkSession),
            E.bimap(
              fromDeviceError,
              () => (connection: Connection) => open({ connection, ...chosen }, position),
            ),
          );
        }),
      ),
    ),
  };
};
