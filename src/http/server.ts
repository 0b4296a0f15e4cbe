/** One HTTP server with its routes and WebSockets, from listening to the last byte. */
import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import express from 'express';
import expressWs from 'express-ws';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import type { Metrics } from '../metrics/index.js';
import { codeOf, systemReason } from '../system/system-error.js';
import type { TimeSource } from '../async/time.js';
import { parseError } from '../codecs/index.js';
import { routerOf } from './app.js';
import { trackConnections, type Connections } from './connections.js';
import { openExecutor, type Executor } from '../operations/index.js';
import type { HttpError } from './errors.js';
import { openExchanges, OTHER, type ErrorAnswer } from './exchanges.js';
import { openGuard } from './guard.js';
import { ignoreOtherUpgrades, WEB_SOCKETS_ALONE } from './other-upgrades.js';
import { DEFAULT_PROTECTION, type Protection } from './protection.js';
import { REQUEST_ID } from './request-ids.js';
import type { Route, SocketRoute } from './route.js';
import { webSockets } from './sockets.js';
import { openUpgrades } from './upgrades.js';

export interface HttpOptions {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Of all that the server is asked; its own if left out. */
  readonly executor?: Executor;
  /** For a request that brings no id of its own. */
  readonly newRequestId?: () => string;
  /** `DEFAULT_PROTECTION` if left out. */
  readonly protection?: Protection | undefined;
}

/** How often Node looks for connections whose request takes too long, ms. */
const CHECK_MS = 1_000;

export interface HttpServer {
  readonly port: number;
  /**
   * First half of the end: new requests get 503, waits are given up (their `signal`), and it resolves when the
   * running requests are answered. Sockets stay open, so that they receive the events of what ends next.
   */
  readonly drain: Task<void>;
  /** Drains, closes sockets with 1001 and resolves when no connection is left. */
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

/** Of what was thrown when a server could not listen. */
export const listenError = (address: string, port: number, thrown: unknown): ListenError =>
  codeOf(thrown) === 'EADDRINUSE'
    ? { _tag: 'PortInUse', address, port }
    : { _tag: 'CannotListen', address, port, reason: systemReason(thrown) };

/** One message for a person. */
export const listenMessage = (error: ListenError): string => {
  switch (error._tag) {
    case 'PortInUse':
      return `port ${error.port} of ${error.address} is in use: stop what uses it or choose another port`;
    case 'CannotListen':
      return `cannot listen on port ${error.port} of ${error.address}: ${error.reason}`;
  }
};

/** An error answered where there is no response object: on a connection that never became a request. */
const refuse = (
  socket: Duplex,
  { status, headers, body }: ErrorAnswer,
  extra: Readonly<Record<string, string>> = {},
): void => {
  if (!socket.writable) return void socket.destroy();
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    ...extra,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
};

const connectionError = (code: string | undefined): HttpError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { _tag: 'HeadersTooLarge' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { _tag: 'RequestTimeout' };
    case undefined:
    default:
      return parseError('the request is not valid HTTP', 'malformed_request');
  }
};

const noProxy = parseError('this server is no proxy: it does not answer CONNECT', 'malformed_request');

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

const closed = (server: Server, connections: Connections): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    connections.destroy();
  });

/** Serves `routes` and `sockets` on `address` and `port`. Left: the port is taken or cannot be listened on. */
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
    executor = openExecutor({ time, log, metrics, requestsPerMinute: protection.requestsPerMinute }),
  }: HttpOptions): TE.TaskEither<ListenError, HttpServer> =>
  async () => {
    const exchanges = openExchanges({ time, log, metrics, newRequestId });
    const guard = openGuard(protection);
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');

    // Node would answer a missing Host header and an unknown expectation by itself, without a body.
    const server = createServer({
      requireHostHeader: false,
      headersTimeout: protection.headersMs,
      requestTimeout: protection.requestMs,
      keepAliveTimeout: protection.idleMs,
      connectionsCheckingInterval: CHECK_MS,
      ...WEB_SOCKETS_ALONE,
    });
    const { unreadMs } = protection;
    const connections = trackConnections({ server, handler: app, unreadMs, time, log, executor });
    metrics.beforeRead(() => metrics.connections.set(connections.count));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // The rest of the request may have come, and is not read yet.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connections.holds(socket)) return;
      connections.afterAnswers(socket, () =>
        refuse(socket, exchanges.failed(undefined, OTHER, connectionError(error.code))),
      );
    });
    server.on('connect', (request, socket) =>
      connections.inTurn(request, socket, () => refuse(socket, exchanges.failed(request, OTHER, noProxy))),
    );

    const ignored = ignoreOtherUpgrades(server);
    const upgrades = openUpgrades({
      ...{ routes: socketRoutes, guard, log, exchanges, executor, connections },
      checkRoom: (client) => sockets.checkRoom(client),
    });
    const { acceptedOf } = upgrades;
    const sockets = webSockets({
      ...{ protection, time, log, metrics, acceptedOf, connections, idOf: exchanges.idOf },
    });
    const withSockets = expressWs(app, server, { leaveRouterUntouched: true, wsOptions: upgrades.options });
    const wss = withSockets.getWss();
    wss.on('wsClientError', (error, socket, request: IncomingMessage) =>
      connections.inTurn(request, socket, () => {
        if (ignored(request, socket)) return;
        const refusal = parseError(`bad WebSocket handshake: ${error.message}`, 'bad_handshake');
        refuse(socket, upgrades.refused(request, refusal), { 'Sec-WebSocket-Version': '13' });
      }),
    );
    // The errors of `server` come here too; `listening` reports them.
    wss.on('error', (error) => log.debug({ err: error }, 'the server failed'));
    wss.on('headers', (headers, request) => headers.push(`${REQUEST_ID}: ${exchanges.idOf(request)}`));
    const socketPaths = socketRoutes.map(({ socket: { path } }) => path);
    // Before all middleware: an upgrade has been judged when it comes here.
    for (const path of socketPaths) withSockets.app.ws(path, sockets.open);
    app.use(routerOf(routes, socketPaths, { connections, exchanges, executor, guard, log }));

    const bound = await listening(server, address, port)();
    if (E.isLeft(bound)) return bound;

    let drained: Promise<void> | undefined;
    const drain = (): Promise<void> => {
      detached(executor.drain());
      return (drained ??= connections.drain());
    };
    let ended: Promise<void> | undefined;
    const close = (): Promise<void> =>
      (ended ??= drain()
        .then(() => sockets.close(wss))
        .then(() => closed(server, connections)));
    return E.right({ port: bound.right, drain, close });
  };
