import { randomBytes } from 'node:crypto';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../devices/device-error.js';
import type { Address, Radio } from '../ble/ports.js';
import {
  adapterHealth,
  deviceSentence,
  documentRoutes,
  fromDeviceError,
  healthRoutes,
  listen,
  listenSentence,
  logRoutes,
  metricsRoutes,
  openBroadcast,
  pageRoutes,
  routesOf,
  type ListenError,
  type Protection,
} from '../http/index.js';
import type { Pages } from '../contract/index.js';
import type { Metrics } from '../metrics/index.js';
import { commandOperations, NO_FLEET, operationsOf, type Fleet } from '../mqtt/index.js';
import type { TimeSource } from '../async/time.js';
import { openBudget } from './audio/budget.js';
import { MAX_HELD, openPieces } from './audio/pieces.js';
import { clockCommands } from './commands.js';
import type { ClockConfig } from './config.js';
import {
  contract,
  endpoints,
  EventsMissed,
  health,
  requests,
  type ClockEvent,
  type Endpoints,
} from './contract.js';
import { openEvents } from './events.js';
import { clockHandlers } from './handlers.js';
import { openMember } from './member.js';
import { TOKEN_BYTES } from './cgd1/protocol/index.js';
import { clockReads } from './reads.js';
import { openScan } from './scan.js';
import { openSessions } from './sessions.js';
import { openSightings } from './sightings.js';
import { openStream } from './stream.js';
import { openTokenStore, type TokenStore } from './tokens/token-store.js';
import { watchAdvertisements } from './watch.js';

export interface ClockServerOptions {
  /** Stays open: who opened it closes it after the server. */
  readonly radio: Radio;
  readonly config: ClockConfig;
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
  /** The server's instance: unguessable, never the same again. */
  readonly newId?: () => string;
  /** 16 unguessable bytes. */
  readonly newToken?: () => Buffer;
}

export interface ClockServer {
  readonly port: number;
  /** Answers what runs, disconnects all clocks, closes all sockets; resolves when nothing is left. */
  readonly close: Task<void>;
}

export type StartError = ListenError | DeviceError;

/** One sentence for a person. */
export const startSentence = (error: StartError): string =>
  error._tag === 'PortInUse' || error._tag === 'CannotListen' ? listenSentence(error) : deviceSentence(error);

/** Events of clocks without a session too. */
const SESSIONLESS_EVENTS: readonly ClockEvent['event'][] = ['battery_level', 'advertisement'];

const unguessable = (): string => randomBytes(16).toString('base64url');

const serve = (options: ClockServerOptions, tokens: TokenStore): TE.TaskEither<ListenError, ClockServer> => {
  const {
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
  } = options;
  const isAlone = fleet.state === 'off';
  const published = metrics.tally(metrics.events, (kind) => ({ kind }));
  const happened = (address: Address, event: ClockEvent): void => {
    published(event.event);
    if (event.event === 'reconnected') metrics.reconnects.inc();
    member.happened(address, event);
  };
  const broadcast = openBroadcast(time, newId(), (missed, stamp) =>
    EventsMissed.encode({ event: 'events_missed', data: missed, ...stamp }),
  );
  const events = openEvents({
    broadcast,
    happened,
    fleetReceivers: (address, { event }) =>
      SESSIONLESS_EVENTS.includes(event) && !sessions.has(address) ? [] : fleet.receivers(address),
    changed: () => watch.update(),
    batteryOf: (address) => sightings.battery(address)?.level,
  });
  const sightings = openSightings({
    levelChanged: (address, level) => events.publish(address, { event: 'battery_level', data: { level } }),
    renamed: fleet.changed,
  });
  const unobserve = radio.observe(sightings.record);
  const { limits } = config;
  const sessions = openSessions({
    radio,
    ownership: fleet.ownership,
    limits,
    time,
    random,
    log,
    tokens,
    sightings,
    emit: events.publish,
    changed: (address) => {
      watch.update();
      member.changed(address);
    },
    dismissed: fleet.forget,
  });
  metrics.beforeRead(() => {
    const { all, linked } = sessions;
    metrics.sessions.set({ state: 'connected' }, linked.length);
    metrics.sessions.set({ state: 'lost' }, all.length - linked.length);
  });
  const watch = watchAdvertisements({
    ...{ radio, time, sightings, events },
    wanted: () => [...events.addresses, ...(isAlone ? [] : sessions.addresses)],
    isLinked: sessions.isConnected,
  });
  const reads = clockReads(sessions, sightings, (address, readings) => member.updateCache(address, readings));
  const member = openMember({ fleet, sessions, sightings, reads, time });
  const scan = openScan(radio, sightings);
  const handlers = clockCommands({ scan, time, sessions, events, reads });
  const uploads = openBudget(MAX_HELD);
  const stream = openStream({
    handlers: handlers.all,
    events,
    broadcast,
    checkClock: sessions.check,
    openPieces: () => openPieces(time, uploads),
    time,
    log,
    metrics,
  });
  const routes = routesOf<Endpoints, DeviceError>(endpoints, clockHandlers(reads), fromDeviceError);
  return pipe(
    listen({
      address: config.address,
      port: config.port,
      routes: [
        ...healthRoutes(health, () =>
          adapterHealth(radio.state, {
            clocks: sessions.linked.length,
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
        ...pageRoutes('clocks'),
      ],
      sockets: [stream.route],
      time,
      log,
      metrics,
      protection,
    }),
    TE.map((http) => {
      fleet.join({
        operations: {
          ...operationsOf(endpoints, routes),
          ...commandOperations(requests, handlers.requests, fromDeviceError),
        },
        devices: member.devices,
        device: member.device,
      });
      for (const address of config.autoConnect) sessions.autoConnect(address);
      return {
        port: http.port,
        close: async () => {
          const answered = Promise.all([stream.drain(), fleet.drain()]);
          await http.drain();
          await sessions.close();
          await answered;
          await http.close();
          watch.close();
          unobserve();
        },
      };
    }),
  );
};

/** Starts the clock server. Left: its port cannot be listened on, or its token store cannot be used. */
export const startClockServer = (options: ClockServerOptions): TE.TaskEither<StartError, ClockServer> => {
  const { config, time, log, newToken = () => randomBytes(TOKEN_BYTES) } = options;
  return pipe(
    openTokenStore({ folder: config.dataFolder, time, log, newToken }),
    TE.chainW((tokens) => serve(options, tokens)),
  );
};
