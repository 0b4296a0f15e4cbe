/** The connections of a server: who is still there, and what is to be answered before anything else is done on one. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { MAX_BODY } from './body.js';

interface Connection {
  readonly gone: AbortController;
  readonly unanswered: Set<IncomingMessage>;
  /** What is to be done once all is answered. */
  next: (() => void) | undefined;
}

export interface Connections {
  /** How many are open. */
  readonly count: number;
  /** Aborted once the other end of `socket` has gone. */
  readonly gone: (socket: Duplex) => AbortSignal;
  /**
   * Calls `task`, the last that is done with HTTP on `socket`, as soon as all requests that have come in full are
   * answered; not at all if the client goes before, or if something else is the last already.
   */
  readonly afterAnswers: (socket: Duplex, task: () => void) => void;
  /** As `afterAnswers`, for the request that Node has let go of, with `stream`, for an upgrade or CONNECT. */
  readonly inTurn: (request: IncomingMessage, stream: Duplex, task: () => void) => void;
  /** Drops all connections there are. */
  readonly destroy: () => void;
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

export const trackConnections = (server: Server): Connections => {
  const open = new Map<Duplex, Connection>();

  server.on('connection', (socket) => {
    // One that was given back to the server is known already.
    if (open.has(socket)) return;
    const gone = new AbortController();
    // One listener for each request under way: it is no leak, and Node would warn of one.
    setMaxListeners(0, gone.signal);
    open.set(socket, { gone, unanswered: new Set(), next: undefined });
    socket.once('close', () => {
      open.delete(socket);
      gone.abort();
    });
  });

  const begin = (request: IncomingMessage, response: ServerResponse): void => {
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
  server.prependListener('request', begin);
  server.prependListener('checkExpectation', begin);

  const afterAnswers = (socket: Duplex, task: () => void): void => {
    const connection = open.get(socket);
    if (connection === undefined || isAnswered(connection)) task();
    else connection.next ??= task;
  };

  return {
    get count() {
      return open.size;
    },
    gone: (socket) => open.get(socket)?.gone.signal ?? AbortSignal.abort(),
    afterAnswers,
    inTurn: ({ socket }, stream, task) => {
      const putBack = readAhead(stream);
      afterAnswers(socket, () => {
        if (!stream.writable) return;
        putBack();
        // The limit of an idle connection between two requests does not hold for an upgrade.
        socket.setTimeout(0);
        task();
      });
    },
    destroy: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
};
