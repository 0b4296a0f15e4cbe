/** The WebSockets that are open, or whose close is under way: how many there may be, and their end. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { openClientSlices } from '../async/slices.js';
import type { TimeSource } from '../async/time.js';
import type { Metrics } from '../metrics/index.js';
import { tooMany } from '../operations/index.js';
import type { Connections } from './connections.js';
import type { HttpError } from './errors.js';
import type { HttpClient } from './guard.js';
import { openSocket, type OpenSocket, type WebSocket } from './open-socket.js';
import type { Protection } from './protection.js';
import type { Accepted } from './upgrades.js';

/** How long a shutdown waits for clients to say goodbye, ms. */
const GOODBYE_MS = 2_000;
/** When another WebSocket may have found room. */
const RETRY_SECS = 10;

type WebSocketServer = ReturnType<expressWs.Instance['getWss']>;

export interface SocketsOptions {
  readonly protection: Protection;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly idOf: (request: IncomingMessage) => string;
  readonly acceptedOf: (request: IncomingMessage) => Accepted | undefined;
  readonly connections: Pick<Connections, 'countUnsent' | 'wasDropped'>;
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
  connections,
}: SocketsOptions) => {
  const open = new Map<WebSocket, OpenSocket>();
  const slices = openClientSlices(time);
  metrics.beforeRead(() => {
    const unsent = [...open.keys()].map(({ bufferedAmount }) => bufferedAmount);
    metrics.unsentBytes.set(unsent.reduce((all, bytes) => all + bytes, 0));
  });

  return {
    /** Left: no other WebSocket of `client` may be opened now. */
    checkRoom: ({ network }: HttpClient): E.Either<HttpError, void> => {
      if (open.size >= most) return noRoom(`the server has room for ${most}`);
      const own = [...open.values()].filter(({ client }) => client.network === network).length;
      return own < socketsPerAddress
        ? E.right(undefined)
        : noRoom(`one address may have ${socketsPerAddress}`);
    },
    /** The handler of an accepted upgrade. */
    open: (socket: WebSocket, request: IncomingMessage) => {
      const accepted = acceptedOf(request);
      if (accepted === undefined) {
        socket.terminate();
        return;
      }
      const context = {
        ...{ access, time, log, metrics, slices, request_id: idOf(request) },
        countUnsent: connections.countUnsent,
        wasDropped: () => connections.wasDropped(request.socket),
      };
      open.set(socket, openSocket(socket, accepted, context));
      socket.once('close', () => open.delete(socket));
    },
    /** Closes all sockets of `server`; resolves when they have closed, or were terminated. */
    close: (server: WebSocketServer): Promise<void> =>
      new Promise((resolve) => {
        const force = time.after(GOODBYE_MS, () => {
          for (const socket of server.clients) socket.terminate();
        });
        server.close(() => {
          force();
          resolve();
        });
        for (const { close } of open.values()) close('shutdown');
      }),
  };
};
