/** One WebSocket, from its upgrade to its close: a heartbeat watches it, and sending never waits for the client. */
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import type { Access } from '../access/access.js';
import { lazily } from '../async/tasks.js';
import type { ClientSlices } from '../async/slices.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Metrics } from '../metrics/metrics.js';
import { MAX_UNSENT } from './connections.js';
import { TOKEN_REVOKED, type HttpClient } from './guard.js';
import type { Connection, SocketListener } from './route.js';

/** The time between two pings, ms. */
export const HEARTBEAT_MS = 30_000;

const MISSED_PONGS = 2;

/** The server's causes to close a WebSocket, with code and reason (RFC 6455, 7.4.1, and IANA's registry of close codes). */
const CLOSES = {
  slow_reader: [1013, 'reading too slowly'],
  defect: [1011, 'the server failed on this message'],
  revoked: [1008, TOKEN_REVOKED],
  shutdown: [1001, 'the server is shutting down'],
} as const;

export type WebSocket = Parameters<expressWs.WebsocketRequestHandler>[0];

/** An accepted upgrade. */
export interface Accepted {
  readonly client: HttpClient;
  /** The path of the row. */
  readonly path: string;
  readonly open: (connection: Connection) => SocketListener;
}

export interface SocketContext {
  readonly access: Access;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly slices: ClientSlices;
  /** Counts written bytes. */
  readonly countUnsent: (bytes: number) => void;
  /** Whether the server has closed the connection because its client does not read. */
  readonly wasDropped: () => boolean;
  readonly request_id: string;
}

/** Pings an open WebSocket at intervals. Calls `missed` once, after `MISSED_PONGS` unanswered pings in a row. */
const startHeartbeat = (socket: WebSocket, time: TimeSource, missed: () => void): Cancel => {
  let unanswered = 0;
  const beat = (): void => {
    if (unanswered >= MISSED_PONGS) {
      missed();
      return;
    }
    if (socket.readyState === socket.OPEN) {
      unanswered += 1;
      socket.ping();
    }
    cancel = time.after(HEARTBEAT_MS, beat);
  };
  let cancel = time.after(HEARTBEAT_MS, beat);
  socket.on('pong', () => (unanswered = 0));
  return () => cancel();
};

export class OpenSocket {
  readonly client: HttpClient;
  private readonly path: string;
  /** The first cause of the close; undefined: the client has closed the WebSocket. */
  private cause: keyof typeof CLOSES | 'missed_pongs' | 'protocol_error' | undefined;
  private readonly listener: SocketListener;
  /** Ends the listener once; a revoked token ends it before the socket has closed. */
  private readonly end: () => void;
  /** The number of messages that wait for their turn. */
  private waiting = 0;

  constructor(
    private readonly socket: WebSocket,
    { client, path, open }: Accepted,
    private readonly context: SocketContext,
  ) {
    const { access, metrics, slices, time, log, request_id } = context;
    this.client = client;
    this.path = path;
    metrics.socketsOpened.inc({ path });
    metrics.sockets.inc({ path });
    this.listener = open({ client, send: (text, written) => this.send(text, written) });
    this.end = lazily(this.listener.closed);

    const unwatch = access.onChange(() => this.endIfRevoked());
    const stopHeartbeat = startHeartbeat(socket, time, () => {
      log.info({ request_id }, 'dropping a WebSocket that does not answer');
      this.cause ??= 'missed_pongs';
      socket.terminate();
    });
    const turns = slices.enter(client.countedAs);
    socket.on('message', (data: Buffer) => {
      metrics.messagesReceived.inc({ path });
      this.waiting += 1;
      if (!turns.run(() => this.handle(data))) socket.pause();
    });
    socket.on('error', (error) => {
      log.debug({ request_id, err: error }, 'a WebSocket failed');
      this.cause ??= 'protocol_error';
    });
    socket.once('close', () => {
      stopHeartbeat();
      unwatch();
      turns.leave();
      this.closed();
    });
  }

  close(cause: keyof typeof CLOSES): void {
    const [code, reason] = CLOSES[cause];
    this.cause ??= cause;
    this.socket.close(code, reason);
  }

  private get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  private send(text: string, written?: () => void): void {
    const { log, request_id, countUnsent, metrics } = this.context;
    if (!this.isOpen) return;
    if (this.socket.bufferedAmount > MAX_UNSENT) {
      log.info({ request_id }, 'closing a WebSocket that reads too slowly');
      this.close('slow_reader');
      return;
    }
    this.socket.send(text, (error) => {
      if (error == null) written?.();
    });
    countUnsent(text.length);
    metrics.messagesSent.inc({ path: this.path });
  }

  private handle(data: Buffer): void {
    const { log, request_id } = this.context;
    this.waiting -= 1;
    if (this.waiting === 0 && this.socket.isPaused) this.socket.resume();
    if (!this.isOpen) return;
    try {
      this.listener.message(data.toString());
    } catch (defect) {
      log.error({ request_id, err: defect }, 'a WebSocket message failed');
      this.close('defect');
    }
  }

  private endIfRevoked(): void {
    const { log, request_id } = this.context;
    if (!this.isOpen || E.isRight(this.client.principal())) return;
    log.info(
      { request_id, client: this.client.countedAs },
      'closing a WebSocket whose token is no longer valid',
    );
    this.close('revoked');
    this.end();
  }

  private closed(): void {
    const { log, metrics, request_id, wasDropped } = this.context;
    const cause = this.cause ?? (wasDropped() ? 'slow_reader' : 'client');
    log.debug({ request_id, cause }, 'a WebSocket is closed');
    metrics.sockets.dec({ path: this.path });
    metrics.socketsClosed.inc({ path: this.path, cause });
    this.end();
  }
}
