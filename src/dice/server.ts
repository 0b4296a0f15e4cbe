import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../devices/device-error.js';
import type { Radio } from '../ble/ports.js';
import {
  adapterHealth,
  documentRoutes,
  fromDeviceError,
  healthRoutes,
  listen,
  logRoutes,
  metricsRoutes,
  openBroadcast,
  pageRoutes,
  routesOf,
  type ListenError,
  type Protection,
} from '../http/index.js';
import { decode } from '../codecs/index.js';
import type { Pages } from '../contract/index.js';
import type { Metrics } from '../metrics/index.js';
import { NO_FLEET, operationsOf, type Fleet, type MemberDevice, type Roamer } from '../mqtt/index.js';
import type { TimeSource } from '../async/time.js';
import type { DiceConfig } from './config.js';
import {
  contract,
  endpoints,
  EventsMissed,
  Handover,
  health,
  PublishedStatus,
  type Endpoints,
} from './contract.js';
import { diceHandlers } from './handlers.js';
import { dieInHomeAssistant } from './home-assistant.js';
import type { Session } from './session.js';
import { openSessions, type Sessions, type SessionsOptions } from './sessions.js';
import { isDie } from './scan.js';
import { openStream } from './stream.js';

export interface DiceServerOptions {
  /** Stays open: who opened it closes it after the server. */
  readonly radio: Radio;
  readonly config: DiceConfig;
  readonly log: Logger;
  readonly time: TimeSource;
  readonly metrics: Metrics;
  /** `DEFAULT_PROTECTION` if left out. */
  readonly protection?: Protection | undefined;
  /** None if left out. */
  readonly fleet?: Fleet | undefined;
  /** Of the rig that the server belongs to; null: to none. None if left out. */
  readonly pages?: (() => Pages | null) | undefined;
  /** 0 up to 1; spreads reconnects. */
  readonly random?: () => number;
  /** Session ids and the server's instance: unguessable, never the same again. */
  readonly newId?: () => string;
}

export interface DiceServer {
  readonly port: number;
  /** Answers what runs, disconnects all dice, closes all sockets; resolves when nothing is left. */
  readonly close: Task<void>;
}

const memberOf = ({ id, status, settings: { leds } }: Session): MemberDevice => ({
  address: status.address,
  isConnected: status.connected,
  // A spread takes V8 many times as long.
  state: () => PublishedStatus.encode(Object.assign({}, status, { leds })),
  identity: { session_id: id, address: status.address },
  homeAssistant: { dependencies: [status.name], describe: dieInHomeAssistant(status) },
});

const roamerOf = (radio: Radio, sessions: Sessions): Roamer => ({
  listen: (listener) =>
    radio.listen((advertisement) => {
      const { address, rssi } = advertisement;
      if (isDie(advertisement) && rssi !== null) listener(address, rssi);
    }),
  handOver: async (address) => {
    const handover = await sessions.handOver(address);
    return handover && Handover.encode(handover);
  },
  takeOver: (given) =>
    pipe(
      given,
      decode(Handover, 'the payload'),
      E.match(() => undefined, sessions.takeOver),
    ),
});

const unguessable = (): string => randomBytes(16).toString('base64url');

/** Starts the dice server. Left: its port cannot be listened on. */
export const startDiceServer = ({
  radio,
  config,
  log,
  time,
  metrics,
  protection,
  fleet = NO_FLEET,
  pages = () => null,
  random = Math.random,
  newId = unguessable,
}: DiceServerOptions): TE.TaskEither<ListenError, DiceServer> => {
  const broadcast = openBroadcast(time, newId(), (missed, stamp) =>
    EventsMissed.encode({ kind: 'EventsMissed', ...missed, ...stamp }),
  );
  const stream = openStream(broadcast, fleet, (id) => sessions.find(id));
  const published = metrics.tally(metrics.events, (kind) => ({ kind }));
  const emit: SessionsOptions['emit'] = (origin, event) => {
    published(event.kind);
    if (event.kind === 'Reconnected') metrics.reconnects.inc();
    stream.publish(origin, event);
    fleet.changed(origin.address);
  };
  const sessions = openSessions({
    radio,
    ownership: fleet.ownership,
    limits: config.limits,
    time,
    random,
    newId,
    log,
    emit,
    changed: fleet.changed,
    dismissed: fleet.forget,
  });
  metrics.beforeRead(() => {
    const connected = sessions.all.filter(({ status }) => status.connected).length;
    metrics.sessions.set({ state: 'connected' }, connected);
    metrics.sessions.set({ state: 'lost' }, sessions.all.length - connected);
  });
  const routes = routesOf<Endpoints, DeviceError>(
    endpoints,
    diceHandlers({ radio, sessions, time, scanMs: config.limits.scan }),
    fromDeviceError,
  );
  return pipe(
    listen({
      address: config.address,
      port: config.port,
      routes: [
        ...healthRoutes(health, () =>
          adapterHealth(radio.state, {
            sessions: sessions.all.length,
            listeners: stream.listeners,
            seq: broadcast.seq,
            instance: broadcast.instance,
            mqtt: fleet.state,
            pages: pages(),
          }),
        ),
        ...routes,
        ...metricsRoutes(metrics),
        ...logRoutes(log),
        ...documentRoutes(contract, protection?.access),
        ...pageRoutes('dice'),
      ],
      sockets: [stream.route],
      time,
      log,
      metrics,
      protection,
    }),
    TE.map((http) => {
      fleet.join({
        operations: operationsOf(endpoints, routes),
        devices: () => sessions.all.map(memberOf),
        device: (address) => {
          const session = sessions.of(address);
          return session && memberOf(session);
        },
        roamer: roamerOf(radio, sessions),
      });
      for (const request of config.autoConnect) sessions.autoConnect(request);
      return {
        port: http.port,
        close: async () => {
          const answered = fleet.drain();
          await http.drain();
          await sessions.close();
          await answered;
          await http.close();
        },
      };
    }),
  );
};
