import { OPEN_ACCESS, type Access } from '../access/access.js';

/** The protection of a server: tokens, host names, origins of pages, and limits. */
export interface Protection {
  readonly access: Access;
  /** Names of the server, in addition to the names that `hostCheck` accepts. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may use the server, also `*` and `null`, in addition to its own origin and localhost. */
  readonly origins: readonly string[];
  /** Addresses and networks of trusted proxies, which may set `X-Forwarded-…` headers, in the notation of proxy-addr. */
  readonly proxies: readonly string[];
  /** The limit of requests a minute for each token, or for each address without a token; 0: no limit. */
  readonly requestsPerMinute: number;
  /** The limits of WebSockets for each address, and for all. */
  readonly socketsPerAddress: number;
  readonly sockets: number;
  /** The times for the arrival of the headers, and of a whole request, ms. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** The time for which a client may read nothing of its answers, ms. */
  readonly unreadMs: number;
  /**
   * The time for which a connection without requests stays open, ms: longer than the time of proxies and clients (nginx
   * 60 s), so that the server does not close a connection at the moment of its next request.
   */
  readonly idleMs: number;
}

export const DEFAULT_PROTECTION: Protection = {
  access: OPEN_ACCESS,
  hosts: [],
  origins: [],
  proxies: [],
  requestsPerMinute: 6_000,
  socketsPerAddress: 100,
  sockets: 10_000,
  headersMs: 10_000,
  requestMs: 30_000,
  unreadMs: 30_000,
  idleMs: 65_000,
};
