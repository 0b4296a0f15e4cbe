/** WebSockets: refused at the upgrade where there is none, watched by a heartbeat, never waited for. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/index.js';
import type { Cancel, Clock } from '../time.js';
import { MAX_BODY } from './body.js';
import { queryOf } from '../codecs/index.js';
import { internalError, shuttingDown, type ServerError } from './errors.js';
import { OTHER, pathIn, type ErrorAnswer, type Exchanges } from './exchanges.js';
import { authorize, subprotocolOf, type Client, type Guard } from './guard.js';
import type { Protection } from './protection.js';
import type { Connection, SocketListener, SocketRoute } from './route.js';

export const HEARTBEAT_MS = 30_000;
const MISSED_PONGS = 2;
/** Unsent bytes over which a reader is too slow. */
const MAX_UNSENT = 1024 * 1024;
/** Bytes of one socket after which others come first: Node would read 2 MiB of it before it comes to another. */
const MAX_HEARD = 64 * 1024;
/** The shortest header of a client's frame (RFC 6455, 5.2). */
const HEADER_BYTES = 6;
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
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly exchanges: Exchanges;
  readonly closing: () => boolean;
}

/** Why the server closed one; else its client did. */
type Cause = 'slow_reader' | 'missed_pongs' | 'protocol_error' | 'defect' | 'revoked' | 'shutdown';

export interface Sockets {
  readonly options: NonNullable<expressWs.Options['wsOptions']>;
  /** The answer to an upgrade that is refused. */
  readonly refused: (request: IncomingMessage, error: ServerError) => ErrorAnswer;
  /** What to do with an accepted upgrade. */
  readonly open: (socket: WebSocket, request: IncomingMessage) => void;
  /** Starts the heartbeat of all sockets of `server`. */
  readonly watch: (server: WebSocketServer) => Cancel;
  /** Closes all sockets of `server`; resolves when they have closed, or were terminated. */
  readonly close: (server: WebSocketServer) => Promise<void>;
}

/** An upgrade that was accepted. */
interface Accepted {
  readonly client: Client;
  /** Of its row. */
  readonly path: string;
  readonly open: (connection: Connection) => SocketListener;
}

const tooMany = (message: string): E.Either<ServerError, never> =>
  E.left({ _tag: 'TooManyRequests', message, retryAfterSecs: RETRY_SECS });

export const webSockets = ({
  routes,
  guard,
  protection: { access, socketsPerAddress, sockets: most },
  clock,
  log,
  metrics,
  exchanges,
  closing,
}: SocketsOptions): Sockets => {
  const accepted = new WeakMap<IncomingMessage, Accepted>();
  const missed = new WeakMap<WebSocket, number>();
  const causes = new WeakMap<WebSocket, Cause>();
  const ids = new WeakMap<WebSocket, string>();
  const clients = new Map<WebSocket, Client>();
  const sent = metrics.tally(metrics.messagesSent, (path) => ({ path }));
  const received = metrics.tally(metrics.messagesReceived, (path) => ({ path }));

  /** Streams whose messages of this tick are written together at its end. */
  const held = new Set<Socket>();
  const hold = (stream: Socket): void => {
    if (held.has(stream)) return;
    if (held.size === 0) process.nextTick(writeHeld);
    held.add(stream);
    stream.cork();
  };
  const writeHeld = (): void => {
    for (const stream of held) stream.uncork();
    held.clear();
  };

  const checkRoom = ({ network }: Client): E.Either<ServerError, void> => {
    if (clients.size >= most) return tooMany(`too many WebSockets: the server has room for ${most}`);
    const own = [...clients.values()].filter((client) => client.network === network).length;
    return own < socketsPerAddress
      ? E.right(undefined)
      : tooMany(`too many WebSockets: one address may have ${socketsPerAddress}`);
  };

  const routeOf = (path: string): SocketRoute | undefined =>
    routes.find((candidate) => candidate.socket.path === path);

  const judge = (client: Client, request: IncomingMessage): E.Either<ServerError, Accepted> => {
    if (closing()) return E.left(shuttingDown);
    const path = pathIn(request);
    const route = routeOf(path);
    return pipe(
      authorize(client, 'read'),
      E.chain(() => checkRoom(client)),
      E.chain(() =>
        route === undefined
          ? E.left({ _tag: 'UnknownRoute', path })
          : route.accept(queryOf(request.url ?? '')),
      ),
      E.map((open) => ({ client, path, open })),
    );
  };

  const judged = async (request: IncomingMessage): Promise<E.Either<ServerError, Accepted>> => {
    try {
      return await pipe(
        TE.fromEither(guard.checkPlace(request)),
        TE.chain(() => guard.identify(request)),
        TE.chainEitherK((client) => judge(client, request)),
      )();
    } catch (defect) {
      log.error({ err: defect, request_id: exchanges.idOf(request) }, 'an upgrade failed');
      return E.left(internalError);
    }
  };

  /** Says why `socket` is to be closed. */
  const blame = (socket: WebSocket, cause: Cause): void => {
    if (!causes.has(socket)) causes.set(socket, cause);
  };

  const endRevoked = (): void => {
    for (const [socket, { principal }] of clients) {
      if (E.isLeft(principal) || !access.isRevoked(principal.right)) continue;
      const request_id = ids.get(socket);
      log.info(
        { request_id, client: principal.right.name },
        'closing a WebSocket whose token is no longer valid',
      );
      blame(socket, 'revoked');
      socket.close(POLICY_VIOLATION, 'the token is no longer valid');
    }
  };

  const refused = (request: IncomingMessage, error: ServerError): ErrorAnswer => {
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
        blame(socket, 'missed_pongs');
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
      verifyClient: ({ req }, decided) =>
        void judged(req).then(
          E.match(
            (error) => {
              const { status, headers, body } = refused(req, error);
              decided(false, status, JSON.stringify(body), {
                ...headers,
                'Content-Type': 'application/json',
              });
            },
            (given) => {
              exchanges.begin(req)({ operation: given.path, status: SWITCHING_PROTOCOLS });
              accepted.set(req, given);
              decided(true);
            },
          ),
        ),
    },
    refused,
    open: (socket, request) => {
      const given = accepted.get(request);
      if (given === undefined) {
        socket.terminate();
        return;
      }
      const { client, path, open } = given;
      const request_id = exchanges.idOf(request);
      ids.set(socket, request_id);
      metrics.socketsOpened.inc({ path });
      metrics.sockets.inc({ path });

      // A frame that is whole may be written between those of ws, which writes each at once where nothing is compressed.
      const stream = request.socket;
      const send: Connection['send'] = (message, written) => {
        if (socket.readyState !== socket.OPEN) return;
        if (stream.writableLength > MAX_UNSENT) {
          log.info({ request_id }, 'closing a WebSocket that reads too slowly');
          blame(socket, 'slow_reader');
          socket.close(TRY_AGAIN_LATER, 'reading too slowly');
        } else {
          hold(stream);
          stream.write(message.frame, (error) => {
            if (error == null) written?.();
          });
          sent(path);
        }
      };

      clients.set(socket, client);
      const listener = open({ client, send });
      let heard = 0;
      socket.on('pong', () => missed.set(socket, 0));
      socket.on('message', (data: Buffer) => {
        received(path);
        heard += HEADER_BYTES + data.length;
        if (heard >= MAX_HEARD) {
          heard = 0;
          socket.pause();
          setImmediate(() => socket.resume());
        }
        try {
          listener.message(data.toString());
        } catch (defect) {
          log.error({ request_id, err: defect }, 'a WebSocket message failed');
          blame(socket, 'defect');
          socket.close(INTERNAL_ERROR, 'the server failed on this message');
        }
      });
      socket.on('error', (error) => {
        log.debug({ request_id, err: error }, 'a WebSocket failed');
        blame(socket, 'protocol_error');
      });
      socket.once('close', () => {
        const cause = causes.get(socket) ?? 'client';
        log.debug({ request_id, cause }, 'a WebSocket is closed');
        clients.delete(socket);
        metrics.sockets.dec({ path });
        metrics.socketsClosed.inc({ path, cause });
        listener.closed();
      });
    },
    watch: (server) => {
      metrics.beforeRead(() => {
        const unsent = [...server.clients].map(({ bufferedAmount }) => bufferedAmount);
        metrics.unsentBytes.set(unsent.reduce((all, bytes) => all + bytes, 0));
      });
      const again = (): void => {
        beat(server);
        cancel = clock.after(HEARTBEAT_MS, again);
      };
      let cancel = clock.after(HEARTBEAT_MS, again);
      const unwatch = access.onChange(endRevoked);
      return () => {
        cancel();
        unwatch();
      };
    },
    close: (server) =>
      new Promise((resolve) => {
        const force = clock.after(GOODBYE_MS, () => {
          for (const socket of server.clients) socket.terminate();
        });
        server.close(() => {
          force();
          resolve();
        });
        for (const socket of server.clients) {
          blame(socket, 'shutdown');
          socket.close(GOING_AWAY, 'the server is shutting down');
        }
      }),
  };
};
