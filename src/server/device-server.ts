/** The shell of a server of devices: what it serves beside its own requests, its place in a fleet, and its end. */
import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Radio } from '../ble/ports.js';
import { factsOf, type Contract, type Kind, type Pages } from '../contract/index.js';
import type { DeviceSession } from '../devices/session-registry.js';
import {
  DEFAULT_PROTECTION,
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
import { NO_FLEET, type Fleet, type FleetState, type Member } from '../mqtt/index.js';
import { Executor, type Broadcast } from '../operations/index.js';

/** `Limits`: how long things may take; `Kept`: a device that is connected automatically. */
export interface ServerConfig<Limits, Kept> {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly limits: Limits;
  /** Connected at start and never given up. */
  readonly autoConnect: readonly Kept[];
}

export interface DeviceServerOptions<Config> {
  /** Stays open: who opened it closes it after the server. */
  readonly radio: Radio;
  readonly config: Config;
  readonly log: Logger;
  readonly time: TimeSource;
  readonly metrics: Metrics;
  /** `DEFAULT_PROTECTION` if left out. */
  readonly protection?: Protection | undefined;
  /** None if left out. */
  readonly fleet?: Fleet | undefined;
  /** The pages of the rig that the server belongs to; null: it belongs to no rig. No rig if left out. */
  readonly pages?: (() => Pages | null) | undefined;
  /** How often the signal of links is read, ms; never if left out. */
  readonly signalMs?: number | undefined;
  /** 0 up to 1; spreads reconnects. */
  readonly random?: () => number;
  /** Ids of sessions and the server's instance: unguessable, never the same again. */
  readonly newId?: () => string;
}

const unguessable = (): string => randomBytes(16).toString('base64url');

/** The same with all that was left out, and the executor of all that is asked. */
export const withDefaults = <C>({
  protection = DEFAULT_PROTECTION,
  fleet = NO_FLEET,
  pages = () => null,
  random = Math.random,
  newId = unguessable,
  ...given
}: DeviceServerOptions<C>) => {
  const { requestsPerMinute } = protection;
  const executor = new Executor({ ...given, requestsPerMinute });
  return { ...given, protection, executor, fleet, pages, random, newId };
};

export interface DeviceServer {
  readonly port: number;
  /** Answers what runs, disconnects all devices, closes all sockets; resolves when nothing is left. */
  readonly close: Task<void>;
}

/** The common fields of `/health`. */
export interface CommonHealth {
  readonly listeners: number;
  /** The number of the newest event. */
  readonly seq: number;
  readonly instance: string;
  readonly mqtt: FleetState;
  readonly pages: Pages | null;
}

/** The parts of a server that differ by its kind. */
export interface ServerParts {
  readonly kind: Kind;
  readonly contract: Contract;
  readonly routes: readonly Route[];
  readonly healthRoutes: (common: () => CommonHealth) => readonly Route[];
  readonly broadcast: Pick<Broadcast, 'seq' | 'instance'>;
  readonly stream: {
    readonly route: SocketRoute;
    readonly listeners: number;
  };
  readonly sessions: {
    readonly all: readonly Pick<DeviceSession, 'address' | 'connected'>[];
    readonly close: Task<void>;
  };
  readonly member: Omit<Member, 'executor' | 'page'>;
  /** Called once the server listens. */
  readonly started: () => void;
  /** Called when nothing is served any more. */
  readonly closed?: () => void;
}

/** Left: the port cannot be listened on. */
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
  { kind, contract, routes, healthRoutes, broadcast, stream, sessions, member, started, closed }: ServerParts,
): TE.TaskEither<ListenError, DeviceServer> => {
  metrics.beforeRead(() => {
    const connected = sessions.all.filter(({ connected: link }) => E.isRight(link)).length;
    metrics.sessions.set({ state: 'connected' }, connected);
    metrics.sessions.set({ state: 'lost' }, sessions.all.length - connected);
  });
  return pipe(
    listen({
      address: config.address,
      port: config.port,
      routes: [
        ...healthRoutes(() => ({
          listeners: stream.listeners,
          seq: broadcast.seq,
          instance: broadcast.instance,
          mqtt: fleet.state,
          pages: pages(),
        })),
        ...routes,
        ...metricsRoutes(metrics),
        ...radioRoutes(radio, () => sessions.all.map(({ address }) => address)),
        ...logRoutes(log),
        ...documentRoutes(contract, protection.access),
        ...pageRoutes(`src/page/${factsOf(kind).page}`),
      ],
      sockets: [stream.route],
      ...{ time, log, metrics, protection, executor },
    }),
    TE.map((http) => {
      fleet.join({ ...member, executor, page: networkUrl(config.address, http.port) });
      started();
      return {
        port: http.port,
        close: async () => {
          const answered = Promise.all([executor.drain(), fleet.drain()]);
          await http.drain();
          await sessions.close();
          await answered;
          await http.close();
          closed?.();
        },
      };
    }),
  );
};
