/**
 * An upgrade to something else than a WebSocket must be ignored and the request answered: Java's HTTP client, for
 * one, offers HTTP/2 (`h2c`) with its first request. What a client sends right behind such a request Node may drop
 * unread, so that the answer ends the connection.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';

/** The `Upgrade` header alone is no offer. */
const OFFER = ['connection', 'http2-settings'];

const offersWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** Options of a server that say so to Node 22.21, 24.9 and later. */
export const WEB_SOCKETS_ALONE = { shouldUpgradeCallback: offersWebSocket };

/** Middleware before the answer. */
export const endAfterOtherUpgrade: RequestHandler = ({ headers }, response, next) => {
  if (headers.upgrade !== undefined) response.set('Connection', 'close');
  next();
};

const pairs = (rawHeaders: readonly string[]): readonly (readonly [string, string])[] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );

/**
 * For Node without that option, which hands such requests over as if they were WebSockets: what this returns gives one
 * back to `server` without the offer, and is false for a WebSocket.
 */
export const ignoreOtherUpgrades = (
  server: Server,
): ((request: IncomingMessage, socket: Duplex) => boolean) => {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  server.prependListener('upgrade', (request: IncomingMessage, _socket: Duplex, head: Buffer) =>
    heads.set(request, head),
  );
  return (request, socket) => {
    if (offersWebSocket(request)) return false;
    const { method = 'GET', url = '/', httpVersion, rawHeaders } = request;
    const kept = pairs(rawHeaders).filter(([name]) => !OFFER.includes(name.toLowerCase()));
    const lines = [
      `${method} ${url} HTTP/${httpVersion}`,
      ...kept.map(([name, value]) => `${name}: ${value}`),
    ];
    socket.unshift(
      Buffer.concat([
        Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
        heads.get(request) ?? Buffer.alloc(0),
      ]),
    );
    server.emit('connection', socket);
    return true;
  };
};
