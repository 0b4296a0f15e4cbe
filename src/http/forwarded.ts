/** The `X-Forwarded-…` headers of the proxies in front of a server. */
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import proxyaddr from 'proxy-addr';
import { cut, parseError, type ParseError } from '../codecs/index.js';
import { unmapped } from './network.js';

/** The protocol and the name by which a client asks for the server. */
export interface Target {
  readonly protocol: 'http' | 'https';
  readonly host: string | undefined;
}

/** Some proxies tell of an upgrade by its own protocol: a page has the origin of the one below. */
const PROTOCOLS: ReadonlyMap<string, Target['protocol']> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
]);

const partsOf = (header: string | string[] | undefined): readonly string[] =>
  String(header ?? '')
    .split(',')
    .map((part) => part.trim());

/** Of a header that several proxies add to, what the nearest of them wrote. */
const nearest = (header: string | string[] | undefined): string | undefined => {
  const last = partsOf(header).at(-1);
  return last === '' ? undefined : last;
};

/** The IP address in one part of `X-Forwarded-For`, without brackets and port; undefined if it is none. */
export const addressIn = (part: string): string | undefined => {
  const address = part.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return isIP(address) > 0 ? unmapped(address) : undefined;
};

const protocolOf = (given: string | undefined): E.Either<ParseError, Target['protocol']> => {
  if (given === undefined) return E.right('http');
  const protocol = PROTOCOLS.get(given.toLowerCase());
  return protocol === undefined
    ? E.left(
        parseError(
          `X-Forwarded-Proto must be http, https, ws or wss, got ${JSON.stringify(cut(given))}`,
          'malformed_request',
        ),
      )
    : E.right(protocol);
};

/** Believes the headers of `proxies` alone: addresses, networks and names of them, as proxy-addr takes them. */
export const forwardedBy = (proxies: readonly string[]) => {
  const isTrusted = proxyaddr.compile([...proxies]);
  const isProxy = (address: string): boolean => isTrusted(address, 0);
  const peerOf = ({ socket }: IncomingMessage): string => unmapped(socket.remoteAddress ?? '');

  return {
    /** Left: a trusted proxy names a protocol other than HTTP or WebSocket. */
    target: (request: IncomingMessage): E.Either<ParseError, Target> => {
      const { headers } = request;
      if (!isProxy(peerOf(request))) return E.right({ protocol: 'http', host: headers.host });
      return E.map((protocol: Target['protocol']) => ({
        protocol,
        host: nearest(headers['x-forwarded-host']) ?? headers.host,
      }))(protocolOf(nearest(headers['x-forwarded-proto'])));
    },
    /** The IP address of the client; empty: it has gone already. */
    address: (request: IncomingMessage): string => {
      let address = peerOf(request);
      if (!isProxy(address)) return address;
      for (const part of partsOf(request.headers['x-forwarded-for']).toReversed()) {
        const before = isProxy(address) ? addressIn(part) : undefined;
        if (before === undefined) return address;
        address = before;
      }
      return address;
    },
  };
};
