/** One WebSocket, from its upgrade to its close: watched by a heartbeat, never waited for. */
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import type { Access } from '../access/index.js';
import { lazily } from '../async/lazily.js';
import type { ClientSlices } from '../async/slices.js';
import type { TimeSource } from '../async/time.js';
import type { Metrics } from '../metrics/index.js';
import { MAX_UNSENT } from './connections.js';
import { TOKEN_REVOKED } from './guard.js';
import { startHeartbeat } from './heartbeat.js';
import type { Connection } from './route.js';
import type { Accepted } from './upgrades.js';

/** The server's reasons to close one, with code and reason (RFC 6455, 7.4.1, and IANA's registry of close codes). */
const CLOSES = {
  slow_reader: [1013, 'reading too slowly'],
  defect: [1011, 'the server failed on this message'],
  revoked: [1008, TOKEN_REVOKED],
  shutdown: [1001, 'the server is shutting down'],
} as const;

export type WebSocket = Parameters<expressWs.WebsocketRequestHandler>[0];

export interface SocketContext {
  readonly access: Access;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly slices: ClientSlices;
  /** Counts bytes that were written. */
  readonly countUnsent: (bytes: number) => void;
  /** Whether the server has closed it because its client does not read. */
  readonly wasDropped: () => boolean;
  readonly request_id: string;
}

export const openSocket = (
  socket: WebSocket,
  { client, path, open }: Accepted,
  { access, time, log, metrics, slices, countUnsent, wasDropped, request_id }: SocketContext,
) => {
  metrics.socketsOpened.inc({ path });
  metrics.sockets.inc({ path });

  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  /** The first cause counts; without any, its client has closed it. */
  let cause: keyof typeof CLOSES | 'missed_pongs' | 'protocol_error' | undefined;
  const close = (because: keyof typeof CLOSES) => {
    const [code, reason] = CLOSES[because];
    cause ??= because;
    socket.close(code, reason);
  };

  const send: Connection['send'] = (text, written) => {
    if (!isOpen()) return;
    if (socket.bufferedAmount > MAX_UNSENT) {
      log.info({ request_id }, 'closing a WebSocket that reads too slowly');
      close('slow_reader');
      return;
    }
    socket.send(text, (error) => {
      if (error == null) written?.();
    });
    countUnsent(text.length);
    metrics.messagesSent.inc({ path });
  };

  const listener = open({ client, send });
  // Once: a revoked token ends it before its socket has closed.
  const end = lazily(listener.closed);

  const unwatch = access.onChange(() => {
    if (!isOpen() || E.isRight(client.principal())) return;
    log.info({ request_id, client: client.countedAs }, 'closing a WebSocket whose token is no longer valid');
    close('revoked');
    end();
  });
  const stopHeartbeat = startHeartbeat(socket, time, () => {
    log.info({ request_id }, 'dropping a WebSocket that does not answer');
    cause ??= 'missed_pongs';
    socket.terminate();
  });

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
      close('defect');
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
    const by = cause ?? (wasDropped() ? 'slow_reader' : 'client');
    log.debug({ request_id, cause: by }, 'a WebSocket is closed');
    stopHeartbeat();
    unwatch();
    own.leave();
    metrics.sockets.dec({ path });
    metrics.socketsClosed.inc({ path, cause: by });
    end();
  });
  return { client, close };
};

export type OpenSocket = ReturnType<typeof openSocket>;
