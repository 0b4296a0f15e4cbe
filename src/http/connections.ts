/** The connections of a server: the order of their requests, their unread answers, and their end. */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Executor } from '../operations/index.js';

/** The time for which a shutdown waits for running requests, ms. */
const DRAIN_MS = 5_000;
/** The time for which a shutdown then waits for clients to read the answers, ms. */
const FLUSH_MS = 500;

const MIB = 1024 * 1024;
/** The limit of unsent bytes over which a connection gets no further request or message. */
export const MAX_UNSENT = MIB;
/** The largest number of running requests of a connection. */
export const MAX_AT_ONCE = 32;
/** The limit of unsent bytes of all connections over which the server closes connections with the most. */
export const MAX_UNSENT_IN_ALL = 64 * MIB;
/** The number of queued bytes after which the server adds up the unsent bytes again. */
const AUDIT_BYTES = MIB;
/** The approximate memory of a waiting request. */
const REQUEST_BYTES = 4 * 1024;

const ignore = (): void => undefined;

class Connection {
  /** Responses that have begun and are not completely sent. */
  readonly begun = new Set<ServerResponse>();
  /** Requests behind the begun ones, each with the task that handles it. */
  readonly held: { readonly response: ServerResponse; readonly handle: () => void }[] = [];
  /** The number of running requests. */
  running = 0;
  /** Runs once when all requests are answered. */
  last: (() => void) | undefined;

  /** `signal` ends all waits of the requests. */
  constructor(
    readonly socket: Socket,
    readonly signal: AbortSignal,
  ) {}

  get isIdle(): boolean {
    return this.begun.size === 0 && this.held.length === 0;
  }

  /** Whether all completely received requests are answered. */
  get isAnswered(): boolean {
    return [...this.begun, ...this.held.map(({ response }) => response)].every(({ req }) => !req.complete);
  }

  /** The bytes that wait for the client: in the socket, and in later responses. */
  get unsent(): number {
    return [...this.begun].reduce(
      (sum, response) => (response.socket === null ? sum + response.writableLength : sum),
      this.socket.writableLength,
    );
  }

  get hasRoom(): boolean {
    return this.begun.size < MAX_AT_ONCE && this.unsent <= MAX_UNSENT;
  }

  /** Handles a request as soon as its answer has room; until then the socket is paused. */
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
  /** The time for which a client may read nothing of an answer, ms. */
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

  /** The number of open connections. */
  get count(): number {
    return this.open.size;
  }

  /**
   * The class of a server's requests. Node hands over the connection of each request with `upgrade`. A server with
   * WebSockets ignores other upgrades and answers (Java's HTTP client offers `h2c` with its first request); it also ignores
   * an upgrade that does not wait for earlier answers, and CONNECT.
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

  /** Lets `handler` answer the requests of `server`. */
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
      // Because of the listener, Node does not close the connection of a longer request.
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
    // Node resumes a connection for the remaining body, or after it has sent a part.
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

  /** Whether the server has closed a connection because its client does not read. */
  wasDropped(socket: Duplex): boolean {
    return this.dropped.has(socket);
  }

  /** Counts bytes written to a connection. */
  countUnsent(bytes: number): void {
    this.unaudited += bytes;
    if (this.unaudited < AUDIT_BYTES) return;
    this.unaudited = 0;
    this.audit();
  }

  /** Closes the connections with the most unsent bytes until the remaining connections are within the limit. */
  private audit(): void {
    const sizes = [...this.open.values()]
      .filter(({ socket }) => !socket.destroyed)
      .map((connection) => ({
        connection,
        bytes: connection.unsent + connection.held.length * REQUEST_BYTES,
      }));
    let sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
    for (const { connection, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
      if (sum <= MAX_UNSENT_IN_ALL) return;
      this.drop(connection, 'closing the connection with the most unread bytes: all together have too many');
      sum -= bytes;
    }
  }

  /** Whether requests of a connection wait, so that the server reads nothing more from it. */
  holds(socket: Duplex): boolean {
    return (this.open.get(socket)?.held.length ?? 0) > 0;
  }

  /**
   * Calls `task`, the last task of HTTP on `socket`, as soon as all completely received requests are answered; never if
   * the client leaves earlier, or if `socket` has a last task already.
   */
  afterAnswers(socket: Duplex, task: () => void): void {
    const connection = this.open.get(socket);
    if (connection === undefined || connection.isAnswered) task();
    else connection.last ??= task;
  }

  /**
   * Begins a request on `socket`; undefined: the client has gone. `signal` is aborted when the client leaves or the executor
   * drains; the caller calls `finished` after the answer.
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

  /** Resolves when all connections are `done`, or after `ms`. */
  private settled(ms: number, done: (connection: Connection) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.time.after(ms, resolve);
      this.changed = () => {
        if (![...this.open.values()].every(done)) return;
        cancel();
        resolve();
      };
      this.changed();
    });
  }

  /** Resolves when all answers are sent, or at the end of the time for them. */
  async drain(): Promise<void> {
    await this.settled(DRAIN_MS, ({ running }) => running === 0);
    await this.settled(FLUSH_MS, ({ begun }) => ![...begun].some(({ writableEnded }) => writableEnded));
  }

  /** Drops all connections. */
  destroy(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }
}
