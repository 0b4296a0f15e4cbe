/** The WebSockets of a server, which checks each upgrade and answers a refused one like a request. */
import type { IncomingMessage, Server } from 'node:http';
import type { Express } from 'express';
import expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { openClientSlices } from '../async/slices.js';
import type { TimeSource } from '../async/time.js';
import { parseError, queryOf } from '../codecs/index.js';
import type { Metrics } from '../metrics/metrics.js';
import { authorize, internalError, shuttingDown, tooMany } from '../operations/index.js';
import type { AppContext } from './app.js';
import { answerOn, unknownRoute, type ErrorAnswer, type HttpError } from './errors.js';
import { OTHER, pathIn, REQUEST_ID } from './exchanges.js';
import { subprotocolOf, type HttpClient } from './guard.js';
import type { Protection } from './protection.js';
import { MAX_BODY, type SocketRoute } from './route.js';
import { OpenSocket, type Accepted, type WebSocket } from './socket.js';

const SWITCHING_PROTOCOLS = 101;
/** The time for which a shutdown waits for clients to close, ms. */
const GOODBYE_MS = 2_000;
/** The time after which a client may try again. */
const RETRY_SECS = 10;

const noRoom = (limit: string): E.Either<HttpError, never> =>
  E.left(tooMany(`too many WebSockets: ${limit}`, RETRY_SECS));

export interface WebSocketsOptions extends AppContext {
  readonly routes: readonly SocketRoute[];
  readonly protection: Protection;
  readonly time: TimeSource;
  readonly metrics: Metrics;
}

export class WebSockets {
  private readonly accepted = new WeakMap<IncomingMessage, Accepted>();
  /** WebSockets that are open or closing. */
  private readonly sockets = new Map<WebSocket, OpenSocket>();
  private readonly slices;
  private readonly server;

  /** Mounts the WebSockets on `app` before all middleware: their upgrades are already checked. */
  constructor(
    private readonly options: WebSocketsOptions,
    app: Express,
    server: Server,
  ) {
    const { routes, time, metrics, log, exchanges } = options;
    this.slices = openClientSlices(time);
    metrics.beforeRead(() => {
      const unsent = [...this.sockets.keys()].map(({ bufferedAmount }) => bufferedAmount);
      metrics.unsentBytes.set(unsent.reduce((all, bytes) => all + bytes, 0));
    });
    const mounted = expressWs(app, server, { leaveRouterUntouched: true, wsOptions: this.wsOptions() });
    for (const { socket } of routes)
      mounted.app.ws(socket.path, (opened, request) => this.open(opened, request));
    this.server = mounted.getWss();
    this.server.on('wsClientError', (error, socket, request: IncomingMessage) => {
      const refusal = parseError(`bad WebSocket handshake: ${error.message}`, 'bad_handshake');
      answerOn(socket, this.refused(request, refusal), { 'Sec-WebSocket-Version': '13' });
    });
    // The errors of `server` arrive here too; `listening` reports them.
    this.server.on('error', (error) => log.debug({ err: error }, 'the server failed'));
    this.server.on('headers', (headers, request) =>
      headers.push(`${REQUEST_ID}: ${exchanges.idOf(request)}`),
    );
  }

  private wsOptions(): NonNullable<expressWs.Options['wsOptions']> {
    return {
      maxPayload: MAX_BODY,
      perMessageDeflate: false,
      handleProtocols: subprotocolOf,
      // One event at a time, so that many messages at once leave time for other clients.
      allowSynchronousEvents: false,
      verifyClient: ({ req }, decided) => {
        const upgrade = this.judged(req);
        if (E.isLeft(upgrade)) {
          const { status, headers, body } = this.refused(req, upgrade.left);
          decided(false, status, JSON.stringify(body), { ...headers, 'Content-Type': 'application/json' });
          return;
        }
        this.options.exchanges.begin(req)({ operation: upgrade.right.path, status: SWITCHING_PROTOCOLS });
        this.accepted.set(req, upgrade.right);
        decided(true);
      },
    };
  }

  private routeOf(path: string): SocketRoute | undefined {
    return this.options.routes.find(({ socket }) => socket.path === path);
  }

  private judged(request: IncomingMessage): E.Either<HttpError, Accepted> {
    const { guard, log, exchanges } = this.options;
    try {
      return pipe(
        guard.checkOrigin(request),
        E.chain(() => this.judge(guard.identify(request), request)),
      );
    } catch (defect) {
      log.error({ err: defect, request_id: exchanges.idOf(request) }, 'an upgrade failed');
      return E.left(internalError);
    }
  }

  private judge(client: HttpClient, request: IncomingMessage): E.Either<HttpError, Accepted> {
    const { executor } = this.options;
    if (executor.closing) return E.left(shuttingDown);
    const path = pathIn(request);
    const route = this.routeOf(path);
    return pipe(
      executor.count(client),
      E.chain(() => authorize(client, 'read')),
      E.chainW(() => this.checkRoom(client)),
      E.chainW((): ReturnType<SocketRoute['accept']> | E.Either<HttpError, never> =>
        route === undefined ? E.left(unknownRoute(path)) : route.accept(queryOf(request.url ?? '')),
      ),
      E.map((open) => ({ client, path, open })),
    );
  }

  /** Left: the client may not open another WebSocket now. */
  private checkRoom({ network }: HttpClient): E.Either<HttpError, void> {
    const { sockets: limit, socketsPerAddress } = this.options.protection;
    if (this.sockets.size >= limit) return noRoom(`the server has room for ${limit}`);
    const sameNetwork = [...this.sockets.values()].filter(({ client }) => client.network === network);
    return sameNetwork.length < socketsPerAddress
      ? E.right(undefined)
      : noRoom(`one address may have ${socketsPerAddress}`);
  }

  /** The answer to a refused upgrade. */
  private refused(request: IncomingMessage, error: HttpError): ErrorAnswer {
    const { exchanges } = this.options;
    const operation = this.routeOf(pathIn(request))?.socket.path ?? OTHER;
    const answer = exchanges.failed(request, operation, error);
    exchanges.begin(request)({ operation, status: answer.status });
    return answer;
  }

  /** Handles an accepted upgrade. */
  private open(socket: WebSocket, request: IncomingMessage): void {
    const { connections, exchanges, log, metrics, protection, time } = this.options;
    const accepted = this.accepted.get(request);
    if (accepted === undefined) {
      socket.terminate();
      return;
    }
    const context = {
      ...{ time, log, metrics, access: protection.access, slices: this.slices },
      request_id: exchanges.idOf(request),
      countUnsent: (bytes: number) => connections.countUnsent(bytes),
      wasDropped: () => connections.wasDropped(request.socket),
    };
    this.sockets.set(socket, new OpenSocket(socket, accepted, context));
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** Closes all WebSockets; resolves when they are closed or terminated. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const force = this.options.time.after(GOODBYE_MS, () => {
        for (const socket of this.server.clients) socket.terminate();
      });
      this.server.close(() => {
        force();
        resolve();
      });
      for (const socket of this.sockets.values()) socket.close('shutdown');
    });
  }
}
