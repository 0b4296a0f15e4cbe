/** What a request must pass before anything is done for it, over REST and to open a WebSocket alike. */
import type { IncomingMessage } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import proxyaddr from 'proxy-addr';
import type { Principal } from '../access/index.js';
import type { Access } from '../contract/index.js';
import { cut, queryOf } from '../codecs/index.js';
import type { ServerError } from './errors.js';
import { hostCheck } from './hosts.js';
import { networkOf, unmapped } from './network.js';
import { originCheck, originOf } from './origins.js';
import type { Protection } from './protection.js';
import { rateLimit } from './rate-limit.js';

/** Who sent a request. */
export interface Client {
  /** Its own IP address, not that of a trusted proxy. */
  readonly address: string;
  /** What limits for addresses count it as. */
  readonly network: string;
  /** Left: it has no token that is known. */
  readonly principal: E.Either<ServerError, Principal>;
}

export interface Guard {
  /** Left: it names another server than this one, or is from a web page that may not use it. */
  readonly checkPlace: (request: IncomingMessage) => E.Either<ServerError, void>;
  /** Who sent it; Left: whoever it is, it sends too many. */
  readonly identify: (request: IncomingMessage) => TE.TaskEither<ServerError, Client>;
}

const ALLOWED = E.right(undefined);

const forbidden = (
  code: 'host_refused' | 'origin_refused' | 'forbidden',
  message: string,
): E.Either<ServerError, never> => E.left({ _tag: 'Forbidden', code, message });

/** Whether `client` may ask for what needs `access`. */
export const authorize = ({ principal }: Client, access: Access): E.Either<ServerError, void> => {
  if (access === 'open') return ALLOWED;
  if (E.isLeft(principal)) return principal;
  const { name, scope } = principal.right;
  return access === 'full' && scope === 'read'
    ? forbidden('forbidden', `the token of "${name}" may only read`)
    : ALLOWED;
};

const SUBPROTOCOL = 'bearer.';

const subprotocols = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());

/** The subprotocol of a WebSocket: the first that is no token, which is sent back only to who offers nothing else. */
export const subprotocolOf = (offered: Iterable<string>): string | false => {
  const protocols = [...offered];
  return protocols.find((protocol) => !protocol.startsWith(SUBPROTOCOL)) ?? protocols[0] ?? false;
};

/** A browser cannot send headers with an upgrade, hence its other two ways. */
const tokenIn = (request: IncomingMessage): string | undefined => {
  const { authorization, upgrade } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  if (upgrade === undefined) return undefined;
  const offered = subprotocols(request).find((protocol) => protocol.startsWith(SUBPROTOCOL));
  return offered?.slice(SUBPROTOCOL.length) ?? queryOf(request.url ?? '').get('access_token') ?? undefined;
};

/** A header that several proxies add to: what the nearest of them wrote. */
const nearest = (header: string | string[] | undefined): string | undefined => {
  const last = String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return last === '' ? undefined : last;
};

export const openGuard = ({ access, hosts, origins, proxies, requestsPerMinute }: Protection): Guard => {
  const isHost = hostCheck(hosts);
  const isOrigin = originCheck(origins);
  const limit = rateLimit(requestsPerMinute);
  const isProxy = proxyaddr.compile([...proxies]);

  const isForwarded = ({ socket }: IncomingMessage): boolean => isProxy(socket.remoteAddress ?? '', 0);

  /** What a proxy in front was asked by; nothing if there is none. */
  const forwarded = (request: IncomingMessage) =>
    isForwarded(request)
      ? {
          protocol: nearest(request.headers['x-forwarded-proto']),
          host: nearest(request.headers['x-forwarded-host']),
        }
      : {};

  /** Empty: the client has gone already. */
  const addressOf = (request: IncomingMessage): string =>
    unmapped((isForwarded(request) ? proxyaddr(request, isProxy) : request.socket.remoteAddress) ?? '');

  const checkPlace = (request: IncomingMessage): E.Either<ServerError, void> => {
    const { origin, host } = request.headers;
    const { protocol = 'http', host: asked = host } = forwarded(request);
    // Both: a page on the machine of the proxy may send any X-Forwarded-Host, but its own Host alone.
    const wrong = [host, asked].find((name) => !isHost(name));
    if (wrong !== undefined)
      return forbidden('host_refused', `this server is not called ${cut(wrong)}: see --allow-host`);
    return origin === undefined || isOrigin(origin, originOf(protocol, asked))
      ? E.right(undefined)
      : forbidden('origin_refused', `pages of ${cut(origin)} may not use this server: see --allow-origin`);
  };

  const principalOf = (request: IncomingMessage): E.Either<ServerError, Principal> => {
    const token = tokenIn(request);
    const principal = access.identify(token);
    if (principal !== undefined) return E.right(principal);
    const message =
      token === undefined
        ? 'a token is needed: send it as "Authorization: Bearer TOKEN"'
        : 'the token is not known';
    return E.left({ _tag: 'Unauthorized', message });
  };

  return {
    checkPlace,
    identify: (request) => {
      const address = addressOf(request);
      const network = networkOf(address);
      const principal = principalOf(request);
      const counted =
        access.required && E.isRight(principal) ? `token ${principal.right.name}` : `address ${network}`;
      return pipe(
        limit(counted),
        TE.map(() => ({ address, network, principal })),
      );
    },
  };
};
