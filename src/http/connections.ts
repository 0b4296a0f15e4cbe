/** The connections of a server: their requests in order, the answers that wait for a client to read, and their end. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Executor } from '../operations/index.js';
import { MAX_BODY } from './body.js';

/** How long a shutdown waits for running requests, ms. */
const DRAIN_MS = 5_000;
/** How long it waits then for clients to read the answers, ms. */
const FLUSH_MS = 500;

const MIB = 1024 * 1024;
/** Unsent bytes over which a connection gets no further request or message. */
export const MAX_UNSENT = MIB;
/** Requests under way on a connection. */
const MAX_AT_ONCE = 32;
/** Unsent bytes of all connections over which those with the most are closed. */
export const MAX_UNSENT_IN_ALL = 64 * MIB;
/** Queued bytes after which the unsent bytes are added up again. */
const AUDIT_BYTES = MIB;
/** The approximate memory of a request that waits. */
const REQUEST_BYTES = 4 * 1024;

interface Connection {
  readonly socket: Socket;
  /** Aborted to give up what its requests wait for. */
  readonly signal: AbortSignal;
  /** Responses that have begun and are not sent in full. */
  readonly begun: Set<ServerResponse>;
  /** Requests behind them, each with the task that handles it. */
  readonly held: { readonly response: ServerResponse; readonly handle: () => void }[];
  /** Requests that are worked on. */
  running: number;
  /** The task for the time when all is answered. */
  next: (() => void) | undefined;
}

const ignore = (): void => undefined;

/**
 * Reads what comes on `stream` before its turn, at most what a message may have, so that its end is noticed. The
 * returned function puts it back and leaves the stream as it was.
 */
const readAhead = (stream: Duplex): (() => void) => {
  const early: Buffer[] = [];
  let size = 0;
  const read = (): void => {
    for (let part: unknown = stream.read(); Buffer.isBuffer(part); part = stream.read()) {
      early.push(part);
      size += part.length;
    }
    if (size > MAX_BODY) stream.destroy();
  };
  // As Node does on any connection whose client ends its half.
  const end = (): void => void stream.end();
  stream.on('readable', read).on('end', end).on('error', ignore);
  return () => {
    stream.off('readable', read).off('end', end).off('error', ignore);
    if (size > 0) stream.unshift(Buffer.concat(early));
  };
};

const isAnswered = ({ begun, held }: Connection): boolean =>
  [...begun, ...held.map(({ response }) => response)].every(({ req }) => !req.complete);

/** Bytes that wait for the client: those in the socket, and those of responses whose turn it is not yet. */
const unsentOf = ({ socket, begun }: Connection): number =>
  [...begun].reduce(
    (sum, response) => (response.socket === null ? sum + response.writableLength : sum),
    socket.writableLength,
  );

const hasRoom = (connection: Connection): boolean =>
  connection.begun.size < MAX_AT_ONCE && unsentOf(connection) <= MAX_UNSENT;

export interface ConnectionsOptions {
  readonly server: Server;
  /** Handles a request. */
  readonly handler: RequestListener;
  /** How long a client may read nothing of an answer, ms. */
  readonly unreadMs: number;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly executor: Pick<Executor, 'join'>;
}

export const trackConnections = ({ server, handler, unreadMs, time, log, executor }: ConnectionsOptions) => {
  const open = new Map<Duplex, Connection>();
  const dropped = new WeakSet<Duplex>();
  let changed = (): void => undefined;
  let unaudited = 0;

  /** Without waiting for the client to read what is sent. */
  const drop = ({ socket }: Connection, reason: string): void => {
    log.info({ address: socket.remoteAddress }, reason);
    dropped.add(socket);
    socket.resetAndDestroy();
  };

  /** Closes the connections with the most unsent bytes until the others are within the limit. */
  const audit = (): void => {
    const sizes = [...open.values()]
      .filter(({ socket }) => !socket.destroyed)
      .map((connection) => ({
        connection,
        bytes: unsentOf(connection) + connection.held.length * REQUEST_BYTES,
      }));
    let sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
    if (sum <= MAX_UNSENT_IN_ALL) return;
    for (const { connection, bytes } of sizes.sort((one, other) => other.bytes - one.bytes)) {
      if (sum <= MAX_UNSENT_IN_ALL) return;
      drop(connection, 'closing the connection with the most unread bytes: all together have too many');
      sum -= bytes;
    }
  };

  const countUnsent = (bytes: number): void => {
    unaudited += bytes;
    if (unaudited < AUDIT_BYTES) return;
    unaudited = 0;
    audit();
  };

  server.on('connection', (socket) => {
    // One that was given back to the server is known already.
    if (open.has(socket)) return;
    const { signal, leave } = executor.join();
    const connection: Connection = {
      ...{ socket, signal, begun: new Set(), held: [], running: 0, next: undefined },
    };
    open.set(socket, connection);
    // Node resumes a connection for the rest of a body, or after a part is sent.
    socket.on('resume', () => {
      if (connection.held.length > 0) socket.pause();
    });
    // Node's timer of a connection starts again while the client reads. Its own listener goes with an upgrade.
    socket.on('timeout', () => {
      if (unsentOf(connection) > 0)
        drop(connection, 'closing a connection whose client does not read its answers');
    });
    socket.once('close', () => {
      open.delete(socket);
      leave();
      changed();
    });
  });

  const proceed = (connection: Connection): void => {
    const { socket, begun, held, next } = connection;
    while (socket.writable && hasRoom(connection)) {
      const first = held.shift();
      if (first === undefined) break;
      first.handle();
    }
    if (next !== undefined) {
      if (!isAnswered(connection)) return;
      connection.next = undefined;
      next();
    } else if (begun.size === 0 && socket.isPaused()) socket.resume();
  };

  /** Handles a request as soon as its connection has room for the answer; until then no other is read from there. */
  const receive: RequestListener = (request, response) => {
    const connection = open.get(request.socket);
    if (connection === undefined) return;
    const { socket, begun, held } = connection;
    const handle = (): void => {
      begun.add(response);
      handler(request, response);
    };
    response.once('close', () => {
      begun.delete(response);
      proceed(connection);
      changed();
    });
    // With a listener, Node does not close the connection of a request that takes longer.
    response.setTimeout(unreadMs, ignore);
    countUnsent(REQUEST_BYTES);
    if (socket.destroyed) return;
    if (held.length === 0 && hasRoom(connection)) {
      handle();
      return;
    }
    held.push({ response, handle });
    socket.pause();
  };
  server.on('request', receive);
  server.on('checkExpectation', receive);

  const afterAnswers = (socket: Duplex, task: () => void): void => {
    const connection = open.get(socket);
    if (connection === undefined || isAnswered(connection)) task();
    else connection.next ??= task;
  };

  /** Resolves when `holds` does for every connection, or after `ms`. */
  const settled = (ms: number, holds: (connection: Connection) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const cancel = time.after(ms, resolve);
      changed = () => {
        if (![...open.values()].every(holds)) return;
        cancel();
        resolve();
      };
      changed();
    });

  return {
    /** How many are open. */
    get count(): number {
      return open.size;
    },
    /** Counts bytes that were written to a connection. */
    countUnsent,
    /** Whether this server has closed a connection because its client does not read. */
    wasDropped: (socket: Duplex): boolean => dropped.has(socket),
    /** Whether requests of a connection wait, so that nothing more is read from it. */
    holds: (socket: Duplex): boolean => (open.get(socket)?.held.length ?? 0) > 0,
    /**
     * Begins a request on `socket`; undefined: the other end has gone. `signal` is aborted when it goes or the executor
     * drains; `finished` is to be called when it is answered.
     */
    begin: (socket: Duplex): { readonly signal: AbortSignal; readonly finished: () => void } | undefined => {
      const connection = open.get(socket);
      if (connection === undefined) return undefined;
      connection.running += 1;
      const finished = (): void => {
        connection.running -= 1;
        countUnsent(unsentOf(connection));
        changed();
      };
      return { signal: connection.signal, finished };
    },
    /**
     * Calls `task`, the last that is done with HTTP on `socket`, as soon as all requests that have come in full are
     * answered; not at all if the client goes before, or if something else is the last already.
     */
    afterAnswers,
    /** As `afterAnswers`, for the request that Node has let go of, with `stream`, for an upgrade or CONNECT. */
    inTurn: ({ socket }: IncomingMessage, stream: Duplex, task: () => void) => {
      const putBack = readAhead(stream);
      afterAnswers(socket, () => {
        if (!stream.writable) return;
        putBack();
        // The limit of an idle connection between two requests does not hold for an upgrade.
        socket.setTimeout(0);
        task();
      });
    },
    /** Resolves when all requests are answered and the answers are sent, or the time for it is over. */
    drain: async (): Promise<void> => {
      await settled(DRAIN_MS, ({ running }) => running === 0);
      await settled(FLUSH_MS, ({ begun }) => ![...begun].some(({ writableEnded }) => writableEnded));
    },
    /** Drops all connections there are. */
    destroy: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
};

export type Connections = ReturnType<typeof trackConnections>;
