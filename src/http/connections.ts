/** The connections of a server: the order of their requests, the answers that wait for a client to read, and their end. */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Executor } from '../operations/index.js';

/** How long a shutdown waits for running requests, ms. */
const DRAIN_MS = 5_000;
/** How long it waits then for clients to read the answers, ms. */
const FLUSH_MS = 500;

const MIB = 1024 * 1024;
/** Unsent bytes over which a connection gets no further request or message. */
export const MAX_UNSENT = MIB;
/** Requests under way on a connection. */
const MAX_AT_ONCE = 32;
/** Unsent bytes of all connections over which the ones with the most are closed. */
export const MAX_UNSENT_IN_ALL = 64 * MIB;
/** Queued bytes after which the unsent bytes are added up again. */
const AUDIT_BYTES = MIB;
/** The approximate memory of a request that waits. */
const REQUEST_BYTES = 4 * 1024;

const ignore = (): void => undefined;

class Connection {
  /** Responses that have begun and are not sent in full. */
  readonly begun = new Set<ServerResponse>();
  /** Requests behind them, each with the task that handles it. */
  readonly held: { readonly response: ServerResponse; readonly handle: () => void }[] = [];
  /** Requests that are worked on. */
  running = 0;
  /** Runs once when all requests are answered. */
  last: (() => void) | undefined;

  /** Aborting `signal` ends all waits of the requests. */
  constructor(
    readonly socket: Socket,
    readonly signal: AbortSignal,
  ) {}

  get isIdle(): boolean {
    return this.begun.size === 0 && this.held.length === 0;
  }

  /** Whether all requests that have come in full are answered. */
  get isAnswered(): boolean {
    return [...this.begun, ...this.held.map(({ response }) => response)].every(({ req }) => !req.complete);
  }

  /** Bytes that wait for the client: in the socket, and in responses whose turn has not come. */
  get unsent(): number {
    return [...this.begun].reduce(
      (sum, response) => (response.socket === null ? sum + response.writableLength : sum),
      this.socket.writableLength,
    );
  }

  get hasRoom(): boolean {
    return this.begun.size < MAX_AT_ONCE && this.unsent <= MAX_UNSENT;
  }

  /** Handles a request as soon as there is room for its answer; until then the socket is paused. */
  add(response: ServerResponse, handle: () => void): void {
    if (this.socket.destroyed) return;
    if (this.held.length === 0 && this.hasRoom) handle();
    else {
      this.held.push({ response, handle });
      this.socket.pause();
    }
  }

  /** Handles the next held requests after a response has ended. */
  proceed(): void {
    const { socket, held, begun, last } = this;
    while (socket.writable && this.hasRoom) {
      const first = held.shift();
      if (first === undefined) break;
      first.handle();
    }
    if (last === undefined) {
      if (begun.size === 0 && socket.isPaused()) socket.resume();
    } else if (this.isAnswered) {
      this.last = undefined;
      last();
    }
  }
}

export interface ConnectionsOptions {
  /** How long a client may read nothing of an answer, ms. */
  readonly unreadMs: number;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly executor: Pick<Executor, 'join'>;
}

export class Connections {
  private readonly open = new Map<Duplex, Connection>();
  private readonly dropped = new WeakSet<Duplex>();
  /** Called after each change that a shutdown may wait for. */
  private changed = ignore;
  private unaudited = 0;

  constructor(private readonly options: ConnectionsOptions) {}

  /** How many are open. */
  get count(): number {
    return this.open.size;
  }

  /**
   * The class of a server's requests. Node hands over the connection of each request that it takes for an upgrade; a
   * server with WebSockets must ignore all other upgrades and answer (Java's HTTP client offers `h2c` with its first
   * request), and so it does with an upgrade that does not wait for earlier answers, and with CONNECT.
   */
  get requestClass(): typeof IncomingMessage {
    const isIdle = (socket: Socket): boolean => this.open.get(socket)?.isIdle ?? true;
    return class extends IncomingMessage {
      private offersUpgrade = false;

      get upgrade(): boolean {
        return (
          this.offersUpgrade &&
          this.method !== 'CONNECT' &&
          this.headers.upgrade?.toLowerCase() === 'websocket' &&
          isIdle(this.socket)
        );
      }

      set upgrade(offers: boolean) {
        this.offersUpgrade = offers;
      }
    };
  }

  /** Has `handler` answer the requests of `server`. */
  serve(server: Server, handler: RequestListener): void {
    server.on('connection', (socket) => this.join(socket));
    const receive: RequestListener = (request, response) => {
      const connection = this.open.get(request.socket);
      if (connection === undefined) return;
      response.once('close', () => {
        connection.begun.delete(response);
        connection.proceed();
        this.changed();
      });
      // With a listener, Node does not close the connection of a request that takes longer.
      response.setTimeout(this.options.unreadMs, ignore);
      this.countUnsent(REQUEST_BYTES);
      connection.add(response, () => {
        connection.begun.add(response);
        handler(request, response);
      });
    };
    server.on('request', receive);
    server.on('checkExpectation', receive);
  }

  private join(socket: Socket): void {
    const { signal, leave } = this.options.executor.join();
    const connection = new Connection(socket, signal);
    this.open.set(socket, connection);
    // Node resumes a connection for the rest of a body, or after a part is sent.
    socket.on('resume', () => {
      if (connection.held.length > 0) socket.pause();
    });
    // Node restarts the timer of a connection whenever the client reads, and removes its own listener at an upgrade.
    socket.on('timeout', () => {
      if (connection.unsent > 0)
        this.drop(connection, 'closing a connection whose client does not read its answers');
    });
    socket.once('close', () => {
      this.open.delete(socket);
      leave();
      this.changed();
    });
  }

  /** Closes a connection without waiting for the client to read the answers. */
  private drop({ socket }: Connection, reason: string): void {
    this.options.log.info({ address: socket.remoteAddress }, reason);
    this.dropped.add(socket);
    socket.resetAndDestroy();
  }

  /** Whether this server has closed a connection because its client does not read. */
  wasDropped(socket: Duplex): boolean {
    return this.dropped.has(socket);
  }

  /** Counts bytes that were written to a connection. */
  countUnsent(bytes: number): void {
    this.unaudited += bytes;
    if (this.unaudited < AUDIT_BYTES) return;
    this.unaudited = 0;
    this.audit();
  }

  /** Closes the connections with the most unsent bytes until the others are within the limit. */
  private audit(): void {
    const sizes = [...this.open.values()]
      .filter(({ socket }) => !socket.destroyed)
      .map((connection) => ({
        connection,
        bytes: connection.unsent + connection.held.length * REQUEST_BYTES,
      }));
    let sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
    for (const { connection, bytes } of sizes.sort((one, other) => other.bytes - one.bytes)) {
      if (sum <= MAX_UNSENT_IN_ALL) return;
      this.drop(connection, 'closing the connection with the most unread bytes: all together have too many');
      sum -= bytes;
    }
  }

  /** Whether requests of a connection wait, so that nothing more is read from it. */
  holds(socket: Duplex): boolean {
    return (this.open.get(socket)?.held.length ?? 0) > 0;
  }

  /**
   * Calls `task`, the last that is done with HTTP on `socket`, as soon as all requests that have come in full are
   * answered; not at all if the client goes before, or if something else is the last already.
   */
  afterAnswers(socket: Duplex, task: () => void): void {
    const connection = this.open.get(socket);
    if (connection === undefined || connection.isAnswered) task();
    else connection.last ??= task;
  }

  /**
   * Begins a request on `socket`; undefined: the other end has gone. `signal` is aborted when it goes or the executor
   * drains; `finished` is to be called when it is answered.
   */
  begin(socket: Duplex): { readonly signal: AbortSignal; readonly finished: () => void } | undefined {
    const connection = this.open.get(socket);
    if (connection === undefined) return undefined;
    connection.running += 1;
    const finished = (): void => {
      connection.running -= 1;
      this.countUnsent(connection.unsent);
      this.changed();
    };
    return { signal: connection.signal, finished };
  }

  /** Resolves when `holds` does for every connection, or after `ms`. */
  private settled(ms: number, holds: (connection: Connection) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.time.after(ms, resolve);
      this.changed = () => {
        if (![...this.open.values()].every(holds)) return;
        cancel();
        resolve();
      };
      this.changed();
    });
  }

  /** Resolves when all requests are answered and the answers are sent, or the time for it is over. */
  async drain(): Promise<void> {
    await this.settled(DRAIN_MS, ({ running }) => running === 0);
    await this.settled(FLUSH_MS, ({ begun }) => ![...begun].some(({ writableEnded }) => writableEnded));
  }

  /** Drops all connections. */
  destroy(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }
}
