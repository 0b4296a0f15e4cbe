import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { pino, type Logger } from 'pino';
import { healthRoutes, listen, type HttpServer, type ListenError, type Route } from '../../src/http/index.js';
import { systemClock, type Clock } from '../../src/time.js';
import { airRoutes } from './air-routes.js';
import type { Bench } from './bench.js';
import { benchRoutes } from './bench-routes.js';
import { chaosRoutes } from './chaos-routes.js';
import { deviceRoutes, populationRoutes } from './device-routes.js';
import { eventsSocket } from './events.js';
import type { Population } from './population.js';
import type { World } from './world.js';

export interface ServeOptions {
  /** `127.0.0.1`, say: whoever reaches it may do everything. */
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The machine's own if left out. */
  readonly clock?: Clock;
  /** Nothing is logged if left out. */
  readonly log?: Logger;
}

export interface ControlOptions extends ServeOptions {
  readonly world: World;
}

export interface BenchControlOptions extends ServeOptions {
  readonly bench: Bench;
}

const serve = (
  { clock = systemClock, log = pino({ enabled: false }), ...options }: ServeOptions,
  population: Population,
  details: () => JsonRecord,
  routes: readonly Route[],
): TE.TaskEither<ListenError, HttpServer> =>
  listen({
    ...options,
    clock,
    log,
    routes: [
      ...healthRoutes(() => ({ ready: true, why: '', details: details() })),
      ...deviceRoutes(population),
      ...routes,
    ],
    sockets: [eventsSocket(population)],
  });

/** Serves the control API of a world. Closing it leaves the world as it is. */
export const serveControl = ({ world, ...options }: ControlOptions): TE.TaskEither<ListenError, HttpServer> =>
  serve(options, world, () => ({ devices: world.list().length, adapters: world.adapters.list().length }), [
    ...populationRoutes(world),
    ...airRoutes(world),
    ...chaosRoutes(world),
  ]);

/** Serves what there is of the control API on a bench. Closing it leaves the device as it is. */
export const serveBenchControl = ({
  bench,
  ...options
}: BenchControlOptions): TE.TaskEither<ListenError, HttpServer> =>
  serve(options, bench, () => ({ devices: bench.list().length }), benchRoutes(bench));
