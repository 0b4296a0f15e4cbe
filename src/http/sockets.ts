/** WebSockets: refused at the upgrade where there is none, watched by a heartbeat, never waited for. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Cancel, Clock } from '../time.js';
import { MAX_BODY } from './body.js';
import { queryOf } from '../codecs/index.js';
import { errorReply, shuttingDown, type ServerError } from './errors.js';
import { authorize, subprotocolOf, type Client, type Guard } from './guard.js';
import type { Protection } from './protection.js';
import type { Connection, Message, SocketListener, SocketRoute } from './route.js';

export const HEARTBEAT_MS = 30_000;
const MISSED_PONGS = 2;
/** Unsent bytes over which a reader is too slow. */
const MAX_UNSENT = 1024 * 1024;
/** How long a shutdown waits for clients to say goodbye, ms. */
const GOODBYE_MS = 2_000;

const INTERNAL_ERROR = 1011;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

/** When another WebSocket may have found room. */
const RETRY_SECS = 10;

type WebSocketServer = ReturnType<expressWs.Instance['getWss']>;
type WebSocket = Parameters<expressWs.WebsocketRequestHandler>[0];

export interface Sockets {
  readonly options: NonNullable<expressWs.Options['wsOptions']>;
  /** What to do with an accepted upgrade. */
  readonly open: (socket: WebSocket, request: IncomingMessage) => void;
  /** Starts the heartbeat of all sockets of `server`. */
  readonly watch: (server: WebSocketServer) => Cancel;
  /** Closes all sockets of `server`; resolves when they have closed, or were terminated. */
  readonly close: (server: WebSocketServer) => Promise<void>;
}

interface Options {
  readonly routes: readonly SocketRoute[];
  readonly guard: Guard;
  readonly protection: Protection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly closing: () => boolean;
}

/** An upgrade that was accepted. */
interface Accepted {
  readonly client: Client;
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
  closing,
}: Options): Sockets => {
  const accepted = new WeakMap<IncomingMessage, Accepted>();
  const missed = new WeakMap<WebSocket, number>();
  const clients = new Map<WebSocket, Client>();

  const checkRoom = ({ address }: Client): E.Either<ServerError, void> => {
    if (clients.size >= most) return tooMany(`too many WebSockets: the server has room for ${most}`);
    const own = [...clients.values()].filter((client) => client.address === address).length;
    return own < socketsPerAddress
      ? E.right(undefined)
      : tooMany(`too many WebSockets: one address may have ${socketsPerAddress}`);
  };

  const judge = (client: Client, { url = '' }: IncomingMessage): E.Either<ServerError, Accepted> => {
    if (closing()) return E.left(shuttingDown);
    const [path = ''] = url.split('?');
    const route = routes.find((candidate) => candidate.socket.path === path);
    return pipe(
      authorize(client, 'read'),
      E.chain(() => checkRoom(client)),
      E.chain(() =>
        route === undefined ? E.left({ _tag: 'UnknownRoute', path }) : route.accept(queryOf(url)),
      ),
      E.map((open) => ({ client, open })),
    );
  };

  const endRevoked = (): void => {
    for (const [socket, { principal }] of clients) {
      if (E.isLeft(principal) || !access.isRevoked(principal.right)) continue;
      log.info({ client: principal.right.name }, 'closing a WebSocket whose token is no longer valid');
      socket.close(POLICY_VIOLATION, 'the token is no longer valid');
    }
  };

  const send = (socket: WebSocket, message: Message): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_UNSENT) {
      log.info('closing a WebSocket that reads too slowly');
      socket.close(TRY_AGAIN_LATER, 'reading too slowly');
    } else {
      socket.send(message, { binary: false });
    }
  };

  const beat = (server: WebSocketServer): void => {
    for (const socket of server.clients) {
      const count = missed.get(socket) ?? 0;
      if (count >= MISSED_PONGS) {
        log.info('dropping a WebSocket that does not answer');
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
      handleProtocols: subprotocolOf,
      verifyClient: ({ req }, decided) =>
        void pipe(
          TE.fromEither(guard.checkPlace(req)),
          TE.chain(() => guard.identify(req)),
          TE.chainEitherK((client) => judge(client, req)),
          TE.match(
            (error) => {
              const { status, headers, body } = errorReply(error);
              decided(false, status, JSON.stringify(body), {
                ...headers,
                'Content-Type': 'application/json',
              });
            },
            (given) => {
              accepted.set(req, given);
              decided(true);
            },
          ),
        )(),
    },
    open: (socket, request) => {
      const given = accepted.get(request);
      if (given === undefined) {
        socket.terminate();
        return;
      }
      const { client, open } = given;
      clients.set(socket, client);
      const listener = open({ client, send: (message) => send(socket, message) });
      socket.on('pong', () => missed.set(socket, 0));
      socket.on('message', (data: Buffer) => {
        // Else Node reads 2 MiB of one socket, message by message, before it comes to another.
        socket.pause();
        setImmediate(() => socket.resume());
        try {
          listener.message(data.toString());
        } catch (defect) {
          log.error({ err: defect }, 'a WebSocket message failed');
          socket.close(INTERNAL_ERROR, 'the server failed on this message');
        }
      });
      socket.on('error', (error) => log.debug({ err: error }, 'a WebSocket failed'));
      socket.once('close', () => {
        clients.delete(socket);
        listener.closed();
      });
    },
    watch: (server) => {
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
        for (const socket of server.clients) socket.close(GOING_AWAY, 'the server is shutting down');
      }),
  };
};
