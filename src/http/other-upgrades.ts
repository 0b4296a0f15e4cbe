import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const UPGRADE_HEADERS = ['connection', 'upgrade', 'http2-settings'];

const pairs = (rawHeaders: readonly string[]): readonly (readonly [string, string])[] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );

/**
 * An upgrade to something else than a WebSocket must be ignored and the request answered: Java's HTTP client, for
 * one, offers HTTP/2 (`h2c`) with its first request. Node hands such requests over as if they were WebSockets; what
 * this returns gives one back to `server` without the offer, and is false for a WebSocket.
 */
export const ignoreOtherUpgrades = (
  server: Server,
): ((request: IncomingMessage, socket: Duplex) => boolean) => {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  server.prependListener('upgrade', (request: IncomingMessage, _socket: Duplex, head: Buffer) =>
    heads.set(request, head),
  );
  return (request, socket) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') return false;
    const { method = 'GET', url = '/', httpVersion, rawHeaders } = request;
    const kept = pairs(rawHeaders).filter(([name]) => !UPGRADE_HEADERS.includes(name.toLowerCase()));
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
