import { OPEN_ACCESS, type Access } from '../access/access.js';

/** The protection of a server: tokens, host names, origins of pages, and limits. */
export interface Protection {
  readonly access: Access;
  /** Names that it may be called by, beside the ones that `hostCheck` accepts. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may use it, `*` and `null` too, beside its own and localhost. */
  readonly origins: readonly string[];
  /** Addresses and networks of the proxies whose `X-Forwarded-…` headers are believed, as proxy-addr takes them. */
  readonly proxies: readonly string[];
  /** Requests a minute, of a token or else of an address; 0 does not limit them. */
  readonly requestsPerMinute: number;
  /** WebSockets of one address, and of all. */
  readonly socketsPerAddress: number;
  readonly sockets: number;
  /** How long the headers of a request may take to arrive, and how long all of it, ms. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a client may read nothing of its answers, ms. */
  readonly unreadMs: number;
  /**
   * How long a connection is kept without a request, ms: longer than proxies and clients keep theirs (nginx 60 s), so that
   * none is closed in the moment in which its next request arrives.
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
