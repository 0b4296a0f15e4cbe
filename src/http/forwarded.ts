/** The address and the target of a client, from the `X-Forwarded-…` headers of proxies in front of a server. */
import { isIP, isIPv6 } from 'node:net';
import type { IncomingMessage } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import proxyaddr from 'proxy-addr';
import { cut, parseError, type ParseError } from '../codecs/index.js';

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The network that limits count as one client: an IPv4 address, or the /64 of an IPv6 address, since a client may use all of it. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const { hostname } = new URL(`http://[${plain}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(GROUPS - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':');
};

/** The IPv4 address in an address of a server that also listens on IPv6. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** The protocol and the name in a client's request to the server. */
export interface Target {
  readonly protocol: 'http' | 'https';
  readonly host: string | undefined;
}

/** Some proxies forward `ws` or `wss` for an upgrade; the origin of its page has `http` or `https`. */
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

/** The entry of the farthest of `hops` trusted proxies, each of which adds an entry; the first entry if some add nothing. */
const farthest = (header: string | string[] | undefined, hops: number): string | undefined => {
  const parts = partsOf(header);
  const entry = parts.at(-hops) ?? parts[0];
  return entry === '' ? undefined : entry;
};

/** The IP address in one part of `X-Forwarded-For`, without brackets and port; undefined for any other text. */
export const addressIn = (part: string): string | undefined => {
  const address = part.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return isIP(address) > 0 ? unmapped(address) : undefined;
};

const protocolOf = (header: string | undefined): E.Either<ParseError, Target['protocol']> => {
  if (header === undefined) return E.right('http');
  const protocol = PROTOCOLS.get(header.toLowerCase());
  return protocol === undefined
    ? E.left(
        parseError(
          `X-Forwarded-Proto must be http, https, ws or wss, got ${JSON.stringify(cut(header))}`,
          'malformed_request',
        ),
      )
    : E.right(protocol);
};

/** Trusts only the headers of `proxies`: addresses, networks and names in the notation of proxy-addr. */
export const forwardedBy = (proxies: readonly string[]) => {
  const isTrusted = proxyaddr.compile([...proxies]);
  const isProxy = (address: string): boolean => isTrusted(address, 0);
  const peerOf = ({ socket }: IncomingMessage): string => unmapped(socket.remoteAddress ?? '');

  /** The IP address of the client, and the number of trusted proxies between it and the server. */
  const pathOf = (request: IncomingMessage): { readonly address: string; readonly hops: number } => {
    const forwardedFor = partsOf(request.headers['x-forwarded-for']);
    const from = (address: string, hops: number): ReturnType<typeof pathOf> => {
      if (!isProxy(address)) return { address, hops };
      const before = addressIn(forwardedFor.at(-hops - 1) ?? '');
      return before === undefined ? { address, hops: hops + 1 } : from(before, hops + 1);
    };
    return from(peerOf(request), 0);
  };

  return {
    /** Left: a trusted proxy names a protocol other than HTTP or WebSocket. */
    target: (request: IncomingMessage): E.Either<ParseError, Target> => {
      const { headers } = request;
      const { hops } = pathOf(request);
      if (hops === 0) return E.right({ protocol: 'http', host: headers.host });
      return E.map((protocol: Target['protocol']) => ({
        protocol,
        host: farthest(headers['x-forwarded-host'], hops) ?? headers.host,
      }))(protocolOf(farthest(headers['x-forwarded-proto'], hops)));
    },
    /** The IP address of the client; empty if the client has already gone. */
    address: (request: IncomingMessage): string => pathOf(request).address,
  };
};
