/** The connections of a server: who is still there, and what is to be answered before anything else is done on one. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TimeSource } from '../async/time.js';
import type { Executor } from '../operations/index.js';
import { MAX_BODY } from './body.js';

/** How long a shutdown waits for running requests, ms. */
const DRAIN_MS = 5_000;

interface Connection {
  /** Aborted to give up what its requests wait for. */
  readonly signal: AbortSignal;
  readonly unanswered: Set<IncomingMessage>;
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

const isAnswered = ({ unanswered }: Connection): boolean =>
  [...unanswered].every(({ complete }) => !complete);

export const trackConnections = (server: Server, time: TimeSource, executor: Pick<Executor, 'join'>) => {
  const open = new Map<Duplex, Connection>();
  let idle = (): void => undefined;

  const isIdle = (): boolean => [...open.values()].every(({ running }) => running === 0);
  const finish = (): void => {
    if (isIdle()) idle();
  };

  server.on('connection', (socket) => {
    // One that was given back to the server is known already.
    if (open.has(socket)) return;
    const { signal, leave } = executor.join();
    open.set(socket, { signal, unanswered: new Set(), running: 0, next: undefined });
    socket.once('close', () => {
      open.delete(socket);
      leave();
      finish();
    });
  });

  const track = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = open.get(request.socket);
    connection?.unanswered.add(request);
    response.once('close', () => {
      if (connection === undefined) return;
      connection.unanswered.delete(request);
      const { next } = connection;
      if (next === undefined || !isAnswered(connection)) return;
      connection.next = undefined;
      next();
    });
  };
  server.prependListener('request', track);
  server.prependListener('checkExpectation', track);

  const afterAnswers = (socket: Duplex, task: () => void): void => {
    const connection = open.get(socket);
    if (connection === undefined || isAnswered(connection)) task();
    else connection.next ??= task;
  };

  return {
    /** How many are open. */
    get count(): number {
      return open.size;
    },
    /**
     * Begins a request on `socket`; undefined: the other end has gone. `signal` is aborted when it goes or the executor
     * drains; `finished` is to be called when the response is sent.
     */
    begin: (socket: Duplex): { readonly signal: AbortSignal; readonly finished: () => void } | undefined => {
      const connection = open.get(socket);
      if (connection === undefined) return undefined;
      connection.running += 1;
      const finished = (): void => {
        connection.running -= 1;
        finish();
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
    /** Resolves when the responses of all requests are sent, or the time for it is over. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        const cancel = time.after(DRAIN_MS, resolve);
        idle = () => {
          cancel();
          resolve();
        };
        finish();
      }),
    /** Drops all connections there are. */
    destroy: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
};

export type Connections = ReturnType<typeof trackConnections>;
