/** One HTTP server with its routes and WebSockets, from its start to its end. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import { lazily } from '../async/tasks.js';
import type { Metrics } from '../metrics/metrics.js';
import { codeOf, systemReason } from '../system/system-error.js';
import type { TimeSource } from '../async/time.js';
import { Executor, failure, type ServerError } from '../operations/index.js';
import { routerOf } from './app.js';
import { Connections } from './connections.js';
import { answerOn } from './errors.js';
import { openExchanges, OTHER } from './exchanges.js';
import { openGuard } from './guard.js';
import { DEFAULT_PROTECTION, type Protection } from './protection.js';
import type { Route, SocketRoute } from './route.js';
import { WebSockets } from './sockets.js';

export interface HttpOptions {
  readonly address: string;
  /** 0: a free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Executes all requests to the server; a new executor by default. */
  readonly executor?: Executor;
  /** Makes the id of a request without one. */
  readonly newRequestId?: () => string;
  /** `DEFAULT_PROTECTION` by default. */
  readonly protection?: Protection | undefined;
}

/** The interval at which Node looks for requests that take too long, ms. */
const CHECK_MS = 1_000;

export interface HttpServer {
  readonly port: number;
  /**
   * The first half of a shutdown: new requests get 503, waits end (by their `signal`); resolves when the running
   * requests are answered. Sockets stay open, so that they receive the events of devices that end next.
   */
  readonly drain: Task<void>;
  /** Drains, closes sockets with 1001, and resolves when all connections are closed. */
  readonly close: Task<void>;
}

export type ListenError =
  | { readonly _tag: 'PortInUse'; readonly address: string; readonly port: number }
  | {
      readonly _tag: 'CannotListen';
      readonly address: string;
      readonly port: number;
      readonly reason: string;
    };

/** The exception of a server that cannot listen, as a value. */
export const listenError = (address: string, port: number, thrown: unknown): ListenError =>
  codeOf(thrown) === 'EADDRINUSE'
    ? { _tag: 'PortInUse', address, port }
    : { _tag: 'CannotListen', address, port, reason: systemReason(thrown) };

/** The error as a message for people. */
export const listenMessage = (error: ListenError): string => {
  switch (error._tag) {
    case 'PortInUse':
      return `port ${error.port} of ${error.address} is in use: stop what uses it or choose another port`;
    case 'CannotListen':
      return `cannot listen on port ${error.port} of ${error.address}: ${error.reason}`;
  }
};

const connectionError = (code: string | undefined): ServerError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return failure('headers_too_large', 'the request headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return failure('request_timeout', 'the request did not arrive in time');
    case undefined:
    default:
      return failure('malformed_request', 'the request is not valid HTTP');
  }
};

const listening =
  (server: Server, address: string, port: number): TE.TaskEither<ListenError, number> =>
  () =>
    new Promise((resolve) => {
      const failed = (thrown: Error): void => resolve(E.left(listenError(address, port, thrown)));
      server.once('error', failed);
      server.listen(port, address, () => {
        server.off('error', failed);
        const bound = server.address();
        resolve(E.right(typeof bound === 'object' && bound !== null ? bound.port : port));
      });
    });

/** Serves `routes` and `sockets` on `address` and `port`. Left: the port is in use or cannot be opened. */
export const listen =
  ({
    address,
    port,
    routes,
    sockets: socketRoutes,
    time,
    log,
    metrics,
    newRequestId = randomUUID,
    protection = DEFAULT_PROTECTION,
    executor = new Executor({ time, log, metrics, requestsPerMinute: protection.requestsPerMinute }),
  }: HttpOptions): TE.TaskEither<ListenError, HttpServer> =>
  async () => {
    const exchanges = openExchanges({ time, log, metrics, newRequestId });
    const connections = new Connections({ unreadMs: protection.unreadMs, time, log, executor });
    metrics.beforeRead(() => metrics.connections.set(connections.count));
    const context = { connections, exchanges, executor, guard: openGuard(protection), log };
    // Node would answer a missing Host header and an unknown expectation by itself, without a body.
    const server = createServer({
      IncomingMessage: connections.requestClass,
      requireHostHeader: false,
      headersTimeout: protection.headersMs,
      requestTimeout: protection.requestMs,
      keepAliveTimeout: protection.idleMs,
      connectionsCheckingInterval: CHECK_MS,
    });
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    connections.serve(server, (request, response) => {
      // Express understands only paths, and the target of a CONNECT must not appear in logs.
      if (request.method === 'CONNECT') request.url = '/';
      app(request, response);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // The remaining bytes of the request may have arrived unread.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connections.holds(socket)) return;
      connections.afterAnswers(socket, () =>
        answerOn(socket, exchanges.failed(undefined, OTHER, connectionError(error.code))),
      );
    });
    const sockets = new WebSockets(
      { ...context, routes: socketRoutes, protection, time, metrics },
      app,
      server,
    );
    app.use(
      routerOf(
        routes,
        socketRoutes.map(({ socket }) => socket.path),
        context,
      ),
    );

    const bound = await listening(server, address, port)();
    if (E.isLeft(bound)) return bound;

    const drain = (): Promise<void> => {
      detached(executor.drain());
      return drained();
    };
    const drained = lazily(() => connections.drain());
    const close = lazily(async () => {
      await drain();
      await sockets.close();
      const closed = once(server, 'close');
      server.close();
      connections.destroy();
      await closed;
    });
    return E.right({ port: bound.right, drain, close });
  };
