import type * as TE from 'fp-ts/lib/TaskEither.js';
import { pino, type Logger } from 'pino';
import { healthRoutes, listen, type HttpServer, type ListenError } from '../../src/http/index.js';
import { systemClock, type Clock } from '../../src/time.js';
import { airRoutes } from './air-routes.js';
import { chaosRoutes } from './chaos-routes.js';
import { deviceRoutes } from './device-routes.js';
import { eventsSocket } from './events.js';
import type { World } from './world.js';

export interface ControlOptions {
  readonly world: World;
  /** `127.0.0.1`, say: whoever reaches it may do everything. */
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The machine's own if left out. */
  readonly clock?: Clock;
  /** Nothing is logged if left out. */
  readonly log?: Logger;
}

/** Serves the control API of a world. Closing it leaves the world as it is. */
export const serveControl = ({
  world,
  address,
  port,
  clock = systemClock,
  log = pino({ enabled: false }),
}: ControlOptions): TE.TaskEither<ListenError, HttpServer> =>
  listen({
    address,
    port,
    clock,
    log,
    routes: [
      ...healthRoutes(() => ({
        ready: true,
        why: '',
        details: { devices: world.list().length, adapters: world.adapters.list().length },
      })),
      ...deviceRoutes(world),
      ...airRoutes(world),
      ...chaosRoutes(world),
    ],
    sockets: [eventsSocket(world)],
  });
