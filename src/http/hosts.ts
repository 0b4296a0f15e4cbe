/** The names of a server (it refuses other names, against DNS rebinding), and the pages that may use it. */
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Local names, which RFC 6761 and RFC 6762 keep out of the public DNS. */
const LOCAL = /^(?:localhost|.*\.localhost|.*\.local)$/;

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** The name or IP address in a `Host` header, in lower case; undefined for any other text. */
export const hostnameOf = (host: string): string | undefined => {
  const url = `http://${host}`;
  return /[\s@/?#\\]/.test(host) || !URL.canParse(url)
    ? undefined
    : withoutBrackets(new URL(url).hostname).replace(/\.$/, '');
};

/** Whether a name or an address always means this machine. */
export const isLoopback = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name);

const machineNames = (): readonly string[] => {
  const name = hostname().toLowerCase();
  return [name, name.split('.')[0] ?? name];
};

/** The page of a server for other machines, with this machine's name if the server listens on all addresses; undefined on loopback. */
export const networkUrl = (address: string, port: number): string | undefined => {
  if (isLoopback(address)) return undefined;
  if (address === '0.0.0.0' || address === '::') return `http://${hostname().toLowerCase()}:${port}/`;
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}/`;
};

/**
 * Whether a `Host` header has a name of the server: an IP address, localhost, a name of this machine, `*.local` or one of
 * `allowed`. A browser always sends this header.
 */
export const hostCheck = (allowed: readonly string[]): ((host: string | undefined) => boolean) => {
  const names = new Set([...machineNames(), ...allowed.map((name) => name.toLowerCase())]);
  return (host) => {
    if (host === undefined) return true;
    const name = hostnameOf(host);
    return name !== undefined && (isIP(name) > 0 || LOCAL.test(name) || names.has(name));
  };
};

/** Whether an `Origin` header names an allowed page: of this server, of localhost, or one of `allowed`. */
export const originCheck =
  (allowed: readonly string[]) =>
  (origin: string, serverOrigin: string | undefined): boolean => {
    if (origin === serverOrigin || allowed.includes(origin) || allowed.includes('*')) return true;
    if (!/^https?:\/\//.test(origin)) return false;
    return isLoopback(hostnameOf(origin.replace(/^https?:\/\//, '')) ?? '');
  };

/** The origin that a browser sends for pages of `host`; undefined without a host. */
export const originOf = (protocol: string, host: string | undefined): string | undefined =>
  host !== undefined && URL.canParse(`${protocol}://${host}`)
    ? new URL(`${protocol}://${host}`).origin
    : undefined;
