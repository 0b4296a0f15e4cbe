/** WebSockets: refused at the upgrade where there is none, watched by a heartbeat, never waited for. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/index.js';
import { lazily } from '../async/lazily.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { MAX_BODY } from './body.js';
import { queryOf } from '../codecs/index.js';
import { authorize, internalError, shuttingDown, tooMany, type Executor } from '../operations/index.js';
import type { HttpError } from './errors.js';
import { OTHER, pathIn, type ErrorAnswer, type Exchanges } from './exchanges.js';
import { subprotocolOf, TOKEN_REVOKED, type Guard, type HttpClient } from './guard.js';
import type { Protection } from './protection.js';
import type { Connections } from './connections.js';
import type { Connection, SocketListener, SocketRoute } from './route.js';
import { openClientSlices } from '../async/slices.js';

export const HEARTBEAT_MS = 30_000;
const MISSED_PONGS = 2;
/** Unsent bytes over which a reader is too slow. */
const MAX_UNSENT = 1024 * 1024;
/** How long a shutdown waits for clients to say goodbye, ms. */
const GOODBYE_MS = 2_000;

const SWITCHING_PROTOCOLS = 101;

const INTERNAL_ERROR = 1011;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

/** When another WebSocket may have found room. */
const RETRY_SECS = 10;

type WebSocketServer = ReturnType<expressWs.Instance['getWss']>;
type WebSocket = Parameters<expressWs.WebsocketRequestHandler>[0];

export interface SocketsOptions {
  readonly routes: readonly SocketRoute[];
  readonly guard: Guard;
  readonly protection: Protection;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly exchanges: Exchanges;
  readonly executor: Executor;
  readonly connections: Connections;
}

/** Why the server closed one; else its client did. */
type Cause = 'slow_reader' | 'missed_pongs' | 'protocol_error' | 'defect' | 'revoked' | 'shutdown';

export interface Sockets {
  readonly options: NonNullable<expressWs.Options['wsOptions']>;
  /** The answer to an upgrade that is refused. */
  readonly refused: (request: IncomingMessage, error: HttpError) => ErrorAnswer;
  /** What to do with an accepted upgrade. */
  readonly open: (socket: WebSocket, request: IncomingMessage) => void;
  /** Starts the heartbeat of all sockets of `server`. */
  readonly watch: (server: WebSocketServer) => Cancel;
  /** Closes all sockets of `server`; resolves when they have closed, or were terminated. */
  readonly close: (server: WebSocketServer) => Promise<void>;
}

/** One that is open, or whose close is under way. */
interface Open {
  readonly client: HttpClient;
  /** Ends what was begun for it. */
  readonly end: () => void;
}

/** An upgrade that was accepted. */
interface Accepted {
  readonly client: HttpClient;
  /** Of its row. */
  readonly path: string;
  readonly open: (connection: Connection) => SocketListener;
}

const noRoom = (limit: string): E.Either<HttpError, never> =>
  E.left(tooMany(`too many WebSockets: ${limit}`, RETRY_SECS));

export const webSockets = ({
  routes,
  guard,
  protection: { access, socketsPerAddress, sockets: most },
  time,
  log,
  metrics,
  exchanges,
  executor,
  connections,
}: SocketsOptions): Sockets => {
  const accepted = new WeakMap<IncomingMessage, Accepted>();
  const missed = new WeakMap<WebSocket, number>();
  const causes = new WeakMap<WebSocket, Cause>();
  const ids = new WeakMap<WebSocket, string>();
  const open = new Map<WebSocket, Open>();
  const slices = openClientSlices(time);

  const checkRoom = ({ network }: HttpClient): E.Either<HttpError, void> => {
    if (open.size >= most) return noRoom(`the server has room for ${most}`);
    const own = [...open.values()].filter(({ client }) => client.network === network).length;
    return own < socketsPerAddress ? E.right(undefined) : noRoom(`one address may have ${socketsPerAddress}`);
  };

  const routeOf = (path: string): SocketRoute | undefined =>
    routes.find((candidate) => candidate.socket.path === path);

  const judge = (client: HttpClient, request: IncomingMessage): E.Either<HttpError, Accepted> => {
    if (connections.closing) return E.left(shuttingDown);
    const path = pathIn(request);
    const route = routeOf(path);
    return pipe(
      executor.count(client),
      E.chain(() => authorize(client, 'read')),
      E.chainW(() => checkRoom(client)),
      E.chainW((): ReturnType<SocketRoute['accept']> | E.Either<HttpError, never> =>
        route === undefined
          ? E.left({ _tag: 'UnknownRoute', path })
          : route.accept(queryOf(request.url ?? '')),
      ),
      E.map((open) => ({ client, path, open })),
    );
  };

  const judged = (request: IncomingMessage): E.Either<HttpError, Accepted> => {
    try {
      return pipe(
        guard.checkOrigin(request),
        E.chain(() => judge(guard.identify(request), request)),
      );
    } catch (defect) {
      log.error({ err: defect, request_id: exchanges.idOf(request) }, 'an upgrade failed');
      return E.left(internalError);
    }
  };

  /** Remembers the first cause. */
  const setCloseCause = (socket: WebSocket, cause: Cause): void => {
    if (!causes.has(socket)) causes.set(socket, cause);
  };

  const endRevoked = (): void => {
    for (const [socket, { client, end }] of open) {
      if (socket.readyState !== socket.OPEN || E.isRight(client.principal())) continue;
      log.info(
        { request_id: ids.get(socket), client: client.countedAs },
        'closing a WebSocket whose token is no longer valid',
      );
      setCloseCause(socket, 'revoked');
      socket.close(POLICY_VIOLATION, TOKEN_REVOKED);
      end();
    }
  };

  const refused = (request: IncomingMessage, error: HttpError): ErrorAnswer => {
    const operation = routeOf(pathIn(request))?.socket.path ?? OTHER;
    const answer = exchanges.failed(request, operation, error);
    exchanges.begin(request)({ operation, status: answer.status });
    return answer;
  };

  const beat = (server: WebSocketServer): void => {
    for (const socket of server.clients) {
      const count = missed.get(socket) ?? 0;
      if (count >= MISSED_PONGS) {
        log.info({ request_id: ids.get(socket) }, 'dropping a WebSocket that does not answer');
        setCloseCause(socket, 'missed_pongs');
        socket.terminate();
      } else if (socket.readyState === socket.OPEN) {
        missed.set(socket, count + 1);
        socket.ping();
      }
    }
  };

  return {
    options: {
      maxPayload: MAX_BODY,
      perMessageDeflate: false,
      handleProtocols: subprotocolOf,
      // One event at a time, so that much that is sent at once leaves time for others.
      allowSynchronousEvents: false,
      verifyClient: ({ req }, decided) =>
        connections.inTurn(req, req.socket, () => {
          const given = judged(req);
          if (E.isLeft(given)) {
            const { status, headers, body } = refused(req, given.left);
            decided(false, status, JSON.stringify(body), { ...headers, 'Content-Type': 'application/json' });
            return;
          }
          exchanges.begin(req)({ operation: given.right.path, status: SWITCHING_PROTOCOLS });
          accepted.set(req, given.right);
          decided(true);
        }),
    },
    refused,
    open: (socket, request) => {
      const given = accepted.get(request);
      if (given === undefined) {
        socket.terminate();
        return;
      }
      const { client, path } = given;
      const request_id = exchanges.idOf(request);
      ids.set(socket, request_id);
      metrics.socketsOpened.inc({ path });
      metrics.sockets.inc({ path });

      const send: Connection['send'] = (text, written) => {
        if (socket.readyState !== socket.OPEN) return;
        if (socket.bufferedAmount > MAX_UNSENT) {
          log.info({ request_id }, 'closing a WebSocket that reads too slowly');
          setCloseCause(socket, 'slow_reader');
          socket.close(TRY_AGAIN_LATER, 'reading too slowly');
          return;
        }
        socket.send(text, (error) => {
          if (error == null) written?.();
        });
        metrics.messagesSent.inc({ path });
      };

      const listener = given.open({ client, send });
      // Once: a revoked token ends it before its socket has closed.
      const end = lazily(listener.closed);
      const own = slices.enter(client.countedAs);
      open.set(socket, { client, end });
      let waiting = 0;
      const handle = (data: Buffer): void => {
        waiting -= 1;
        if (waiting === 0 && socket.isPaused) socket.resume();
        if (socket.readyState !== socket.OPEN) return;
        try {
          listener.message(data.toString());
        } catch (defect) {
          log.error({ request_id, err: defect }, 'a WebSocket message failed');
          setCloseCause(socket, 'defect');
          socket.close(INTERNAL_ERROR, 'the server failed on this message');
        }
      };
      socket.on('pong', () => missed.set(socket, 0));
      socket.on('message', (data: Buffer) => {
        metrics.messagesReceived.inc({ path });
        waiting += 1;
        if (!own.run(() => handle(data))) socket.pause();
      });
      socket.on('error', (error) => {
        log.debug({ request_id, err: error }, 'a WebSocket failed');
        setCloseCause(socket, 'protocol_error');
      });
      socket.once('close', () => {
        const cause = causes.get(socket) ?? 'client';
        log.debug({ request_id, cause }, 'a WebSocket is closed');
        open.delete(socket);
        own.leave();
        metrics.sockets.dec({ path });
        metrics.socketsClosed.inc({ path, cause });
        end();
      });
    },
    watch: (server) => {
      metrics.beforeRead(() => {
        const unsent = [...server.clients].map(({ bufferedAmount }) => bufferedAmount);
        metrics.unsentBytes.set(unsent.reduce((all, bytes) => all + bytes, 0));
      });
      const again = (): void => {
        beat(server);
        cancel = time.after(HEARTBEAT_MS, again);
      };
      let cancel = time.after(HEARTBEAT_MS, again);
      const unwatch = access.onChange(endRevoked);
      return () => {
        cancel();
        unwatch();
      };
    },
    close: (server) =>
      new Promise((resolve) => {
        const force = time.after(GOODBYE_MS, () => {
          for (const socket of server.clients) socket.terminate();
        });
        server.close(() => {
          force();
          resolve();
        });
        for (const socket of server.clients) {
          setCloseCause(socket, 'shutdown');
          socket.close(GOING_AWAY, 'the server is shutting down');
        }
      }),
  };
};
