/** The shell of a server of devices: the routes that all such servers share, the place in a fleet, and the shutdown. */
import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Address, Radio } from '../ble/ports.js';
import { factsOf, type Contract, type Kind, type Pages } from '../contract/index.js';
import type { DeviceRecords } from '../devices/records.js';
import type { DeviceSession } from '../devices/session-registry.js';
import {
  DEFAULT_PROTECTION,
  aboutRoutes,
  documentRoutes,
  listen,
  logRoutes,
  metricsRoutes,
  networkUrl,
  pageRoutes,
  radioRoutes,
  type ListenError,
  type Protection,
  type Route,
  type SocketRoute,
} from '../http/index.js';
import type { Metrics } from '../metrics/metrics.js';
import { NO_FLEET, type Fleet, type FleetState, type HeardDevices, type Member } from '../mqtt/index.js';
import { Executor, type Broadcast } from '../operations/index.js';
import { NO_STORE, type Store, type StoreState } from '../store/store.js';
import { NO_FACTS, type ClockFacts } from '../store/system-clock.js';

/** `Limits`: the time limits; `Kept`: an automatically connected device. */
export interface ServerConfig<Limits, Kept> {
  readonly address: string;
  /** 0: a free port. */
  readonly port: number;
  readonly limits: Limits;
  /** How long rolls and readings are kept, days; null: for ever. */
  readonly historyDays: number | null;
  /** Devices that the server connects at its start and always reconnects. */
  readonly autoConnect: readonly Kept[];
}

export interface DeviceServerOptions<Config> {
  /** The radio, which its owner closes after the server. */
  readonly radio: Radio;
  readonly config: Config;
  readonly log: Logger;
  readonly time: TimeSource;
  readonly metrics: Metrics;
  /** `DEFAULT_PROTECTION` by default. */
  readonly protection?: Protection | undefined;
  /** No fleet by default. */
  readonly fleet?: Fleet | undefined;
  /** Opens the store of the server; no store by default. */
  readonly openStore?: (migrations: readonly string[]) => Store;
  /** No facts by default. */
  readonly clockFacts?: ClockFacts;
  /** The pages of the server's rig; null: no rig, which is the default. */
  readonly pages?: (() => Pages | null) | undefined;
  /** The interval of readings of the signal of links, ms; no readings by default. */
  readonly signalMs?: number | undefined;
  /** A random number from 0 up to 1, which spreads reconnects. */
  readonly random?: () => number;
  /** Makes ids of sessions and of the server's instance: unguessable and unique. */
  readonly newId?: () => string;
}

const unguessable = (): string => randomBytes(16).toString('base64url');

/** The options with defaults, and the executor of all requests. */
export const withDefaults = <C>({
  protection = DEFAULT_PROTECTION,
  fleet = NO_FLEET,
  openStore = () => NO_STORE,
  clockFacts = NO_FACTS,
  pages = () => null,
  random = Math.random,
  newId = unguessable,
  ...options
}: DeviceServerOptions<C>) => {
  const { requestsPerMinute } = protection;
  const executor = new Executor({ ...options, requestsPerMinute });
  return { ...options, protection, executor, fleet, openStore, clockFacts, pages, random, newId };
};

export interface DeviceServer {
  readonly port: number;
  /** The number of devices heard since a time, ms of the Unix epoch. */
  readonly heardSince: (time: number) => number;
  /** Answers running requests, disconnects all devices, closes all sockets; resolves at the end of all that. */
  readonly close: Task<void>;
}

/** The common fields of `/health`. */
export interface CommonHealth {
  readonly listeners: number;
  /** The number of the newest event. */
  readonly seq: number;
  readonly instance: string;
  readonly mqtt: FleetState;
  readonly home_assistant: boolean;
  readonly store: StoreState;
  readonly pages: Pages | null;
}

/** The parts of a server that differ by its kind. */
export interface ServerParts {
  readonly kind: Kind;
  readonly contract: Contract;
  readonly routes: readonly Route[];
  readonly healthRoutes: (common: () => CommonHealth) => readonly Route[];
  readonly broadcast: Pick<Broadcast, 'seq' | 'instance'>;
  readonly store: Store;
  readonly stream: {
    readonly route: SocketRoute;
    readonly listeners: number;
  };
  readonly sessions: {
    readonly all: readonly Pick<DeviceSession, 'address' | 'connected'>[];
    readonly close: Task<void>;
  };
  readonly memory: {
    readonly records: Pick<DeviceRecords<object>, 'loaded' | 'onLoaded'> & HeardDevices;
    /** Stores a device, if it has a session. */
    remember(address: Address): void;
    close(): void;
  };
  readonly keepConnected: (address: Address) => void;
  readonly member: Omit<Member, 'executor' | 'heard' | 'page'>;
  /** Called once the server listens. */
  readonly started: () => void;
  /** Called when the records of the file are there. */
  readonly loaded?: (() => void) | undefined;
  /** Called after the end of all service. */
  readonly closed?: () => void;
}

const measure = (metrics: Metrics, { sessions, store }: Pick<ServerParts, 'sessions' | 'store'>): void => {
  metrics.beforeRead(() => {
    metrics.storeWaiting.set(store.state.waiting_secs);
    const connected = sessions.all.filter(({ connected: link }) => E.isRight(link)).length;
    metrics.sessions.set({ state: 'connected' }, connected);
    metrics.sessions.set({ state: 'lost' }, sessions.all.length - connected);
  });
};

/**
 * Connects the kept devices of the file once it is read, and stores the devices that were connected before. After the end of the
 * returned task it connects nothing.
 */
const recall = ({
  memory,
  sessions,
  keepConnected,
  loaded,
}: Pick<ServerParts, 'memory' | 'sessions' | 'keepConnected' | 'loaded'>): Task<void> => {
  const cancel = memory.records.onLoaded((kept) => {
    for (const { address } of sessions.all) memory.remember(address);
    for (const address of kept) keepConnected(address);
    loaded?.();
  });
  return async () => {
    await memory.records.loaded;
    cancel();
  };
};

/** Serves devices. Left: the port cannot be opened. */
export const serveDevices = (
  {
    config,
    radio,
    time,
    log,
    metrics,
    protection,
    executor,
    fleet,
    pages,
  }: ReturnType<typeof withDefaults<{ readonly address: string; readonly port: number }>>,
  parts: ServerParts,
): TE.TaskEither<ListenError, DeviceServer> => {
  const { kind, contract, routes, healthRoutes, broadcast, store, stream } = parts;
  const { sessions, memory, member, started, closed } = parts;
  measure(metrics, parts);
  return pipe(
    listen({
      address: config.address,
      port: config.port,
      routes: [
        ...healthRoutes(() => ({
          listeners: stream.listeners,
          seq: broadcast.seq,
          instance: broadcast.instance,
          ...{ mqtt: fleet.state, home_assistant: fleet.inHomeAssistant },
          store: store.state,
          pages: pages(),
        })),
        ...routes,
        ...aboutRoutes(contract.title, radio, time),
        ...radioRoutes(radio, () => sessions.all.map(({ address }) => address)),
        ...[...logRoutes(log), ...metricsRoutes(metrics)],
        ...documentRoutes(contract, protection.access),
        ...pageRoutes(`src/page/${factsOf(kind).page}`),
      ],
      sockets: [stream.route],
      ...{ time, log, metrics, protection, executor },
    }),
    TE.orElseFirstTaskK(() => () => {
      memory.close();
      return store.close();
    }),
    TE.map((http) => {
      const page = networkUrl(config.address, http.port);
      const endReports = fleet.join({ ...member, executor, heard: memory.records, page });
      started();
      const endRecall = recall(parts);
      return {
        port: http.port,
        heardSince: (since) => memory.records.all.filter(({ lastSeen }) => lastSeen >= since).length,
        close: async () => {
          const answered = executor.drain();
          endReports();
          await http.drain();
          await endRecall();
          await sessions.close();
          await answered;
          await http.close();
          memory.close();
          closed?.();
          await store.close();
        },
      };
    }),
  );
};
