/** WebSockets: refused at the upgrade where there is none, watched by a heartbeat, never waited for. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import type { Cancel, Clock } from '../time.js';
import { MAX_BODY } from './body.js';
import { queryOf } from '../codecs/index.js';
import { errorReply, shuttingDown, type ServerError } from './errors.js';
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

type WebSocketServer = ReturnType<expressWs.Instance['getWss']>;
type WebSocket = Parameters<expressWs.WebsocketRequestHandler>[0];

export interface Sockets {
  readonly options: NonNullable<expressWs.Options['wsOptions']>;
  /** What to do with an accepted upgrade. */
  readonly open: (socket: WebSocket, request: IncomingMessage) => void;
  /** Starts the heartbeat of all sockets of `server`. */
  readonly watch: (server: WebSocketServer) => Cancel;
  /** Says goodbye to all sockets of `server` and resolves when they are closed, or made to. */
  readonly close: (server: WebSocketServer) => Promise<void>;
}

export const webSockets = (
  routes: readonly SocketRoute[],
  clock: Clock,
  log: Logger,
  closing: () => boolean,
): Sockets => {
  type Open = (connection: Connection) => SocketListener;
  const accepted = new WeakMap<IncomingMessage, Open>();
  const missed = new WeakMap<WebSocket, number>();

  const judge = ({ url = '' }: IncomingMessage): E.Either<ServerError, Open> => {
    if (closing()) return E.left(shuttingDown);
    const [path = ''] = url.split('?');
    const route = routes.find((candidate) => candidate.socket.path === path);
    return route === undefined ? E.left({ _tag: 'UnknownRoute', path }) : route.accept(queryOf(url));
  };

  const send = (socket: WebSocket, message: Message, written?: () => void): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_UNSENT) {
      log.info('closing a WebSocket that reads too slowly');
      socket.close(TRY_AGAIN_LATER, 'reading too slowly');
    } else {
      socket.send(message, { binary: false }, (error) => {
        if (error == null) written?.();
      });
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
      verifyClient: ({ req }, decided) =>
        pipe(
          judge(req),
          E.match(
            (error) => {
              const { status, headers, body } = errorReply(error);
              decided(false, status, JSON.stringify(body), {
                ...headers,
                'Content-Type': 'application/json',
              });
            },
            (open) => {
              accepted.set(req, open);
              decided(true);
            },
          ),
        ),
    },
    open: (socket, request) => {
      const open = accepted.get(request);
      if (open === undefined) {
        socket.terminate();
        return;
      }
      const listener = open({ send: (message, written) => send(socket, message, written) });
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
      socket.once('close', listener.closed);
    },
    watch: (server) => {
      const again = (): void => {
        beat(server);
        cancel = clock.after(HEARTBEAT_MS, again);
      };
      let cancel = clock.after(HEARTBEAT_MS, again);
      return () => cancel();
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
