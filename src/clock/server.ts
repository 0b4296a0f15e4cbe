import { randomBytes } from 'node:crypto';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { adapterHealth, healthRoutes, listenMessage, routesOf, type ListenError } from '../http/index.js';
import { commandOperations, endpointOperations } from '../mqtt/index.js';
import {
  serveDevices,
  withDefaults,
  type DeviceServer,
  type DeviceServerOptions,
} from '../server/device-server.js';
import {
  deviceMessage,
  fromDeviceError,
  Broadcast,
  type Executor,
  type Handlers,
  type RequestContext,
} from '../operations/index.js';
import { MAX_HELD, openBudget, openPieces } from './audio/pieces.js';
import { clockCommands, type CommandsOptions } from './commands.js';
import { CommandQueue } from './command-queue.js';
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
import { TIMES } from './home-assistant.js';
import { ClockMemory, MIGRATIONS } from './memory.js';
import { ClockMember } from './member.js';
import { TOKEN_BYTES } from '../protocols/cgd1/index.js';
import { clockReads, type ReadClock, type Reads } from './reads.js';
import { recordReads } from './record-handlers.js';
import { openScan } from './scan.js';
import { Sessions } from './sessions.js';
import { openSightings } from './sightings.js';
import { openStream } from './stream.js';
import { openTokenStore, type TokenStore } from './tokens/token-store.js';
import { watchAdvertisements } from './watch.js';
import { Zones } from './zones.js';

export interface ClockServerOptions extends DeviceServerOptions<ClockConfig> {
  /** 16 unguessable bytes. */
  readonly newToken?: () => Buffer;
}

type StartError = ListenError | DeviceError;

/** The message about an error, for people. */
export const startMessage = (error: StartError): string =>
  error._tag === 'PortInUse' || error._tag === 'CannotListen' ? listenMessage(error) : deviceMessage(error);

type ReadHandler<A> = (
  request: { readonly params: { readonly address: string } },
  context: RequestContext,
) => ReturnType<ReadClock<A>>;

const ofClock =
  <A>(read: ReadClock<A>): ReadHandler<A> =>
  ({ params: { address } }, { signal }) =>
    read(address, signal);

/** The handlers of REST, which only reads. */
const restHandlers = (
  reads: Reads,
  memory: ClockMemory,
  sessions: Sessions,
): Handlers<Endpoints, DeviceError> => ({
  devices: () => TE.right(reads.devices()),
  sensors: ofClock(reads.sensors),
  battery: ofClock(reads.battery),
  firmware: ofClock(reads.firmware),
  alarms: ofClock(reads.alarms),
  settings: ofClock(reads.settings),
  ...recordReads(memory, sessions),
});

interface TransportsOptions extends CommandsOptions {
  readonly executor: Executor;
  readonly broadcast: Broadcast;
}

/** The WebSocket, REST, and the operations over MQTT. */
const openTransports = (options: TransportsOptions) => {
  const { sessions, time, reads, memory } = options;
  const handlers = clockCommands(options);
  const uploads = openBudget(MAX_HELD);
  const stream = openStream({
    ...options,
    handlers: handlers.all,
    checkClock: (address) => sessions.check(address),
    openPieces: () => openPieces(time, uploads),
  });
  const routes = routesOf<Endpoints, DeviceError>(
    endpoints,
    restHandlers(reads, memory, sessions),
    fromDeviceError,
  );
  const operations = {
    ...endpointOperations(routes),
    ...commandOperations(requests, handlers.requests, fromDeviceError),
  };
  return { stream, routes, operations };
};

/** Events that clocks without a session have too. */
const SESSIONLESS_EVENTS: readonly ClockEvent['event'][] = ['battery_level', 'advertisement'];

const serve = (partial: ClockServerOptions, tokens: TokenStore): TE.TaskEither<ListenError, DeviceServer> => {
  const options = withDefaults(partial);
  const { radio, config, time, metrics, executor, fleet, newId } = options;
  const store = options.openStore(MIGRATIONS);
  const happened = (address: Address, event: ClockEvent): void => {
    metrics.events.inc({ kind: event.event });
    if (event.event === 'reconnected') metrics.reconnects.inc();
    if (event.event === 'sensor_update') memory.read(address, event.data);
    member.happened(address, event);
  };
  const broadcast = new Broadcast(time, newId(), (missed, stamp) =>
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
  const memory: ClockMemory = new ClockMemory({
    ...{ ...options, historyDays: config.historyDays, store, server: fleet.name, sightings },
    hasSession: (address) => sessions.of(address) !== undefined,
  });
  const sessions = new Sessions({
    ...{ ...options, linkedNeighbour: fleet.linkedNeighbour, limits: config.limits, tokens, sightings },
    emit: events.publish,
    changed: (address) => {
      watch.update();
      memory.remember(address);
      zones.changed(address);
      member.changed(address);
    },
    dismissed: fleet.dismiss,
  });
  const watch = watchAdvertisements({
    ...{ radio, time, sightings, events },
    recorded: () => memory.recorded,
    needed: () => [...events.addresses, ...(fleet.state === 'off' ? [] : sessions.addresses)],
    isLinked: (address) => sessions.isConnected(address),
  });
  const queue = new CommandQueue(sessions, events);
  const zones = new Zones({ ...options, memory, sessions, queue });
  const reads = clockReads({
    ...{ sessions, sightings, zones },
    updateCache: (address, readings) => member.updateCache(address, readings),
  });
  const member: ClockMember = new ClockMember({ fleet, sessions, sightings, memory, reads, time });
  const { stream, routes, operations } = openTransports({
    scan: openScan(radio, sightings),
    ...{ executor, broadcast, time, sessions, events, queue, zones, reads, memory },
    changed: () => watch.update(),
  });
  return serveDevices(options, {
    ...{ contract, kind: 'clock', routes, broadcast, store, stream, sessions },
    healthRoutes: (common) =>
      healthRoutes(health, () => adapterHealth(radio, { clocks: sessions.linked.length, ...common() })),
    member: { operations, times: TIMES, devices: member.devices, device: member.device },
    memory,
    keepConnected: (address) => sessions.keepConnected({ address }, true),
    started: () => {
      for (const address of config.autoConnect) sessions.autoConnect({ address });
    },
    loaded: () => {
      watch.update();
      zones.loaded();
    },
    closed: () => {
      member.close();
      zones.close();
      watch.close();
    },
  });
};

/** Starts the clock server. Left: it cannot listen on its port, or use its token store. */
export const startClockServer = (options: ClockServerOptions): TE.TaskEither<StartError, DeviceServer> => {
  const { config, time, log, newToken = () => randomBytes(TOKEN_BYTES) } = options;
  return pipe(
    openTokenStore({ folder: config.dataFolder, time, log, newToken }),
    TE.chainW((tokens) => serve(options, tokens)),
  );
};
