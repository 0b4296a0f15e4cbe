/** Links to the other pages of a rig. */
import type { PageAddress } from '../../contract/index.js';

/** The open page: the address of its server, and its URL in the browser. */
interface OpenPage {
  readonly own: PageAddress;
  /** `document.baseURI`, without a file. */
  readonly base: URL;
}

const HTTP_PORT = 80;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.');

const hostIn = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Whether the browser speaks to the server directly. A proxy hides the addresses of the other pages. */
const isDirect = ({ own, base }: OpenPage): boolean =>
  base.protocol === 'http:' && Number(base.port || HTTP_PORT) === own.port && base.pathname === '/';

/** The URL of another page of the rig; null without a URL that this browser can reach. */
export const linkTo = ({ url, address, port }: PageAddress, open: OpenPage): string | null => {
  if (url !== null) return url;
  if (!isDirect(open)) return null;
  const { hostname } = open.base;
  if (address === '0.0.0.0' || address === '::') return `http://${hostname}:${port}/`;
  const host = hostIn(address);
  if (isLoopback(host) && !isLoopback(hostname)) return null;
  return `http://${host === '127.0.0.1' && hostname === 'localhost' ? hostname : host}:${port}/`;
};
