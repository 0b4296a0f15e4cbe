/** The WebSockets that are open: watched by a heartbeat, never waited for. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { lazily } from '../async/lazily.js';
import { openClientSlices } from '../async/slices.js';
import type { TimeSource } from '../async/time.js';
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
  /** Closes all sockets of `server`; resolves when they have closed, or were terminated. */
  readonly close: (server: WebSocketServer) => Promise<void>;
}

/** The server's reason to close one; else its client did. */
type Cause = 'slow_reader' | 'missed_pongs' | 'protocol_error' | 'defect' | 'revoked' | 'shutdown';

/** One that is open, or whose close is under way. */
interface Open {
  readonly client: HttpClient;
  readonly close: (cause: Cause, code: number, reason: string) => void;
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
  metrics.beforeRead(() => {
    const unsent = [...open.keys()].map(({ bufferedAmount }) => bufferedAmount);
    metrics.unsentBytes.set(unsent.reduce((all, bytes) => all + bytes, 0));
  });

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

      const isOpen = (): boolean => socket.readyState === socket.OPEN;
      /** The first cause counts. */
      let cause: Cause | undefined;
      const close: Open['close'] = (because, code, reason) => {
        cause ??= because;
        socket.close(code, reason);
      };

      const send: Connection['send'] = (text, written) => {
        if (!isOpen()) return;
        if (socket.bufferedAmount > MAX_UNSENT) {
          log.info({ request_id }, 'closing a WebSocket that reads too slowly');
          close('slow_reader', TRY_AGAIN_LATER, 'reading too slowly');
          return;
        }
        socket.send(text, (error) => {
          if (error == null) written?.();
        });
        metrics.messagesSent.inc({ path });
      };

      const listener = accepted.open({ client, send });
      open.set(socket, { client, close });
      // Once: a revoked token ends it before its socket has closed.
      const end = lazily(listener.closed);

      const unwatch = access.onChange(() => {
        if (!isOpen() || E.isRight(client.principal())) return;
        log.info(
          { request_id, client: client.countedAs },
          'closing a WebSocket whose token is no longer valid',
        );
        close('revoked', POLICY_VIOLATION, TOKEN_REVOKED);
        end();
      });

      let missedPongs = 0;
      const beat = (): void => {
        if (missedPongs >= MISSED_PONGS) {
          log.info({ request_id }, 'dropping a WebSocket that does not answer');
          cause ??= 'missed_pongs';
          socket.terminate();
          return;
        }
        if (isOpen()) {
          missedPongs += 1;
          socket.ping();
        }
        cancelBeat = time.after(HEARTBEAT_MS, beat);
      };
      let cancelBeat = time.after(HEARTBEAT_MS, beat);
      socket.on('pong', () => (missedPongs = 0));

      const own = slices.enter(client.countedAs);
      let waiting = 0;
      const handle = (data: Buffer): void => {
        waiting -= 1;
        if (waiting === 0 && socket.isPaused) socket.resume();
        if (!isOpen()) return;
        try {
          listener.message(data.toString());
        } catch (defect) {
          log.error({ request_id, err: defect }, 'a WebSocket message failed');
          close('defect', INTERNAL_ERROR, 'the server failed on this message');
        }
      };
      socket.on('message', (data: Buffer) => {
        metrics.messagesReceived.inc({ path });
        waiting += 1;
        if (!own.run(() => handle(data))) socket.pause();
      });
      socket.on('error', (error) => {
        log.debug({ request_id, err: error }, 'a WebSocket failed');
        cause ??= 'protocol_error';
      });
      socket.once('close', () => {
        log.debug({ request_id, cause: cause ?? 'client' }, 'a WebSocket is closed');
        open.delete(socket);
        cancelBeat();
        unwatch();
        own.leave();
        metrics.sockets.dec({ path });
        metrics.socketsClosed.inc({ path, cause: cause ?? 'client' });
        end();
      });
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
        for (const { close } of open.values()) close('shutdown', GOING_AWAY, 'the server is shutting down');
      }),
  };
};
