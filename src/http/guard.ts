/** The first checks of a request, both over REST and for a WebSocket. */
import type { IncomingMessage } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import type { Principal } from '../access/access.js';
import { cut, queryOf } from '../codecs/index.js';
import { failure, type Client, type ServerError } from '../operations/index.js';
import { forwardedBy, networkOf } from './forwarded.js';
import { hostCheck, originCheck, originOf } from './hosts.js';
import type { Protection } from './protection.js';

/** The sender of a request. */
export interface HttpClient extends Client {
  /** The IP address of the client itself, behind trusted proxies. */
  readonly address: string;
  /** The key of the client for limits by address. */
  readonly network: string;
}

export const TOKEN_REVOKED = 'the token is no longer valid';

const SUBPROTOCOL = 'bearer.';

const subprotocols = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());

/** The subprotocol of a WebSocket: the first that is not a token; a token only if the client offers nothing else. */
export const subprotocolOf = (offered: Iterable<string>): string | false => {
  const protocols = [...offered];
  return protocols.find((protocol) => !protocol.startsWith(SUBPROTOCOL)) ?? protocols[0] ?? false;
};

/** A browser cannot set headers of an upgrade, so it may send the token as a subprotocol or in the query. */
const tokenIn = (request: IncomingMessage): string | undefined => {
  const { authorization, upgrade } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  if (upgrade === undefined) return undefined;
  const offered = subprotocols(request).find((protocol) => protocol.startsWith(SUBPROTOCOL));
  return offered?.slice(SUBPROTOCOL.length) ?? queryOf(request.url ?? '').get('access_token') ?? undefined;
};

export const openGuard = ({ access, hosts, origins, proxies }: Protection) => {
  const isHost = hostCheck(hosts);
  const isOrigin = originCheck(origins);
  const forwarded = forwardedBy(proxies);

  const checkOrigin = (request: IncomingMessage): E.Either<ServerError, void> => {
    const target = forwarded.target(request);
    if (E.isLeft(target)) return target;
    const { origin, host } = request.headers;
    // Checks both names: a page on the machine of the proxy can forge X-Forwarded-Host, but not Host.
    const foreign = [host, target.right.host].find((name) => !isHost(name));
    if (foreign !== undefined)
      return E.left(failure('host_refused', `this server is not called ${cut(foreign)}: see --allow-host`));
    return origin === undefined || isOrigin(origin, originOf(target.right.protocol, target.right.host))
      ? E.right(undefined)
      : E.left(
          failure('origin_refused', `pages of ${cut(origin)} may not use this server: see --allow-origin`),
        );
  };

  const principalOf = (request: IncomingMessage): E.Either<ServerError, Principal> => {
    const token = tokenIn(request);
    const principal = access.identify(token);
    if (principal !== undefined) return E.right(principal);
    const message =
      token === undefined
        ? 'a token is needed: send it as "Authorization: Bearer TOKEN"'
        : 'the token is not known';
    return E.left(failure('unauthorized', message));
  };

  return {
    /** Left: the request names another server, or comes from a web page that may not use this server. */
    checkOrigin,
    identify: (request: IncomingMessage): HttpClient => {
      const address = forwarded.address(request);
      const network = networkOf(address);
      const identified = principalOf(request);
      const countedAs =
        access.required && E.isRight(identified) ? `token ${identified.right.name}` : `address ${network}`;
      const principal = (): E.Either<ServerError, Principal> =>
        E.isRight(identified) && access.isRevoked(identified.right)
          ? E.left(failure('unauthorized', TOKEN_REVOKED))
          : identified;
      return { address, network, countedAs, principal };
    },
  };
};

export type Guard = ReturnType<typeof openGuard>;
