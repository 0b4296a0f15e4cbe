/** The WebSockets that are open: watched by a heartbeat, never waited for. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { lazily } from '../async/lazily.js';
import { openClientSlices } from '../async/slices.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Metrics } from '../metrics/index.js';
import { tooMany } from '../operations/index.js';
import type { HttpError } from './errors.js';
import { TOKEN_REVOKED, type HttpClient } from './guard.js';
import type { Protection } from './protection.js';
import type { Connection } from './route.js';
import type { Accepted } from './upgrades.js';

export const HEARTBEAT_MS = 30_000;
const MISSED_PONGS = 2;
/** Unsent bytes over which a reader is too slow. */
const MAX_UNSENT = 1024 * 1024;
/** How long a shutdown waits for clients to say goodbye, ms. */
const GOODBYE_MS = 2_000;
/** When another WebSocket may have found room. */
const RETRY_SECS = 10;

const INTERNAL_ERROR = 1011;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

type WebSocketServer = ReturnType<expressWs.Instance['getWss']>;
type WebSocket = Parameters<expressWs.WebsocketRequestHandler>[0];

export interface SocketsOptions {
  readonly protection: Protection;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly idOf: (request: IncomingMessage) => string;
  readonly acceptedOf: (request: IncomingMessage) => Accepted | undefined;
}

export interface Sockets {
  /** Left: no other WebSocket of `client` may be opened now. */
  readonly checkRoom: (client: HttpClient) => E.Either<HttpError, void>;
  /** The handler of an accepted upgrade. */
  readonly open: (socket: WebSocket, request: IncomingMessage) => void;
  /** Starts the heartbeat of all sockets of `server`. */
  readonly watch: (server: WebSocketServer) => Cancel;
  /** Closes all sockets of `server`; resolves when they have closed, or were terminated. */
  readonly close: (server: WebSocketServer) => Promise<void>;
}

/** Why the server closed one; else its client did. */
type Cause = 'slow_reader' | 'missed_pongs' | 'protocol_error' | 'defect' | 'revoked' | 'shutdown';

/** One that is open, or whose close is under way. */
interface Open {
  readonly client: HttpClient;
  readonly request_id: string;
  /** Ends what was begun for it. */
  readonly end: () => void;
  missedPongs: number;
  cause?: Cause;
}

const noRoom = (limit: string): E.Either<HttpError, never> =>
  E.left(tooMany(`too many WebSockets: ${limit}`, RETRY_SECS));

export const webSockets = ({
  protection: { access, socketsPerAddress, sockets: most },
  time,
  log,
  metrics,
  idOf,
  acceptedOf,
}: SocketsOptions): Sockets => {
  const open = new Map<WebSocket, Open>();
  const slices = openClientSlices(time);

  /** The first cause counts. */
  const close = (socket: WebSocket, cause: Cause, code: number, reason: string): void => {
    const entry = open.get(socket);
    if (entry !== undefined) entry.cause ??= cause;
    socket.close(code, reason);
  };

  const endRevoked = (): void => {
    for (const [socket, { client, request_id, end }] of open) {
      if (socket.readyState !== socket.OPEN || E.isRight(client.principal())) continue;
      log.info(
        { request_id, client: client.countedAs },
        'closing a WebSocket whose token is no longer valid',
      );
      close(socket, 'revoked', POLICY_VIOLATION, TOKEN_REVOKED);
      end();
    }
  };

  const beat = (): void => {
    for (const [socket, entry] of open) {
      if (entry.missedPongs >= MISSED_PONGS) {
        log.info({ request_id: entry.request_id }, 'dropping a WebSocket that does not answer');
        entry.cause ??= 'missed_pongs';
        socket.terminate();
      } else if (socket.readyState === socket.OPEN) {
        entry.missedPongs += 1;
        socket.ping();
      }
    }
  };

  return {
    checkRoom: ({ network }) => {
      if (open.size >= most) return noRoom(`the server has room for ${most}`);
      const own = [...open.values()].filter(({ client }) => client.network === network).length;
      return own < socketsPerAddress
        ? E.right(undefined)
        : noRoom(`one address may have ${socketsPerAddress}`);
    },
    open: (socket, request) => {
      const accepted = acceptedOf(request);
      if (accepted === undefined) {
        socket.terminate();
        return;
      }
      const { client, path } = accepted;
      const request_id = idOf(request);
      metrics.socketsOpened.inc({ path });
      metrics.sockets.inc({ path });

      const send: Connection['send'] = (text, written) => {
        if (socket.readyState !== socket.OPEN) return;
        if (socket.bufferedAmount > MAX_UNSENT) {
          log.info({ request_id }, 'closing a WebSocket that reads too slowly');
          close(socket, 'slow_reader', TRY_AGAIN_LATER, 'reading too slowly');
          return;
        }
        socket.send(text, (error) => {
          if (error == null) written?.();
        });
        metrics.messagesSent.inc({ path });
      };

      const listener = accepted.open({ client, send });
      // Once: a revoked token ends it before its socket has closed.
      const entry: Open = { client, request_id, end: lazily(listener.closed), missedPongs: 0 };
      open.set(socket, entry);
      const own = slices.enter(client.countedAs);
      let waiting = 0;
      const handle = (data: Buffer): void => {
        waiting -= 1;
        if (waiting === 0 && socket.isPaused) socket.resume();
        if (socket.readyState !== socket.OPEN) return;
        try {
          listener.message(data.toString());
        } catch (defect) {
          log.error({ request_id, err: defect }, 'a WebSocket message failed');
          close(socket, 'defect', INTERNAL_ERROR, 'the server failed on this message');
        }
      };
      socket.on('pong', () => (entry.missedPongs = 0));
      socket.on('message', (data: Buffer) => {
        metrics.messagesReceived.inc({ path });
        waiting += 1;
        if (!own.run(() => handle(data))) socket.pause();
      });
      socket.on('error', (error) => {
        log.debug({ request_id, err: error }, 'a WebSocket failed');
        entry.cause ??= 'protocol_error';
      });
      socket.once('close', () => {
        const cause = entry.cause ?? 'client';
        log.debug({ request_id, cause }, 'a WebSocket is closed');
        open.delete(socket);
        own.leave();
        metrics.sockets.dec({ path });
        metrics.socketsClosed.inc({ path, cause });
        entry.end();
      });
    },
    watch: (server) => {
      metrics.beforeRead(() => {
        const unsent = [...server.clients].map(({ bufferedAmount }) => bufferedAmount);
        metrics.unsentBytes.set(unsent.reduce((all, bytes) => all + bytes, 0));
      });
      const again = (): void => {
        beat();
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
        for (const socket of server.clients)
          close(socket, 'shutdown', GOING_AWAY, 'the server is shutting down');
      }),
  };
};
