import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pino, type Logger } from 'pino';
import {
  DEFAULT_PROTECTION,
  documentRoutes,
  healthRoutes,
  listen,
  metricsRoutes,
  pageRoutes,
  routesOf,
  type HttpServer,
  type ListenError,
  type Protection,
  type Route,
  socketRoute,
  type SocketRoute,
} from '../../src/http/index.js';
import type { Pages } from '../../src/contract/index.js';
import { openMetrics, type Metrics } from '../../src/metrics/metrics.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import type { Bench } from './bench.js';
import {
  benchContract,
  benchEndpoints,
  benchHealth,
  contract,
  endpoints,
  health,
  type BenchEndpoints,
  type Endpoints,
  events,
} from './contract.js';
import type { DeviceError } from '../devices/device-error.js';
import { fromDeviceError } from './errors.js';
import { airHandlers, deviceHandlers, traceHandlers, worldHandlers } from './handlers.js';
import { builtInKinds } from './kinds.js';
import type { DeviceList } from './device-list.js';
import type { World } from './world.js';
import * as E from 'fp-ts/lib/Either.js';

/** `GET /events`: every device as it is, then every change. Messages of clients are ignored. */
const eventsSocket = (devices: DeviceList): SocketRoute =>
  socketRoute(events, () =>
    E.right(({ send }) => ({ message: () => undefined, closed: devices.listen(send) })),
  );

export interface ServeOptions {
  /** For example `127.0.0.1`: every client that can reach the address may do everything. */
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The machine's own if left out. */
  readonly time?: TimeSource;
  /** Nothing is logged if left out. */
  readonly log?: Logger;
  /** Its own if left out. */
  readonly metrics?: Metrics;
  /** Requests are not limited if left out. */
  readonly protection?: Protection;
}

export interface ControlOptions extends ServeOptions {
  readonly world: World;
  /** The pages of the rig that the world belongs to; null or left out: no rig. */
  readonly pages?: () => Pages | null;
}

export interface BenchControlOptions extends ServeOptions {
  readonly bench: Bench;
}

const serve = (
  {
    time = systemTime,
    log = pino({ enabled: false }),
    metrics = openMetrics('control'),
    protection = { ...DEFAULT_PROTECTION, requestsPerMinute: 0 },
    ...options
  }: ServeOptions,
  devices: DeviceList,
  routes: readonly Route[],
): TE.TaskEither<ListenError, HttpServer> =>
  listen({
    ...options,
    time,
    log,
    metrics,
    protection,
    routes: [...routes, ...metricsRoutes(metrics)],
    sockets: [eventsSocket(devices)],
  });

const always = { ready: true, reason: '' } as const;

/** Serves the control API of a world. Closing it leaves the world as it is. */
export const serveControl = ({
  world,
  pages = () => null,
  ...options
}: ControlOptions): TE.TaskEither<ListenError, HttpServer> =>
  serve(options, world, [
    ...routesOf<Endpoints, DeviceError>(
      endpoints(world.kinds),
      {
        ...deviceHandlers(world),
        ...worldHandlers(world),
        ...airHandlers(world),
        ...traceHandlers(world.air.trace),
      },
      fromDeviceError,
    ),
    ...healthRoutes(health, () => ({
      ...always,
      details: { devices: world.list().length, adapters: world.adapters.list().length, pages: pages() },
    })),
    ...documentRoutes(contract(world.kinds), options.protection?.access),
    ...pageRoutes('simulators/page/simulator'),
  ]);

/** Serves what there is of the control API on a bench. Closing it leaves the device as it is. */
export const serveBenchControl = ({
  bench,
  ...options
}: BenchControlOptions): TE.TaskEither<ListenError, HttpServer> => {
  const devices = (): { readonly devices: number } => ({ devices: bench.list().length });
  return serve(options, bench, [
    ...routesOf<BenchEndpoints, DeviceError>(
      benchEndpoints(builtInKinds),
      {
        ...deviceHandlers(bench),
        ...traceHandlers(bench.trace),
        reset: ({ body: { seed } }) => pipe(bench.reset(seed), TE.map(devices)),
      },
      fromDeviceError,
    ),
    ...healthRoutes(benchHealth, () => ({ ...always, details: devices() })),
    ...documentRoutes(benchContract(builtInKinds), options.protection?.access),
  ]);
};
