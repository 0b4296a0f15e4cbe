import { isIPv6 } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The network that limits count as one client: an IPv4 address, or the /64 of an IPv6 one, all of which a client may choose from. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const { hostname } = new URL(`http://[${plain}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const left = Array<string>(GROUPS - head.length - tail.length).fill('0');
  return [...head, ...left, ...tail].slice(0, NETWORK_GROUPS).join(':');
};

/** An IPv4 client of a server that listens on IPv6 too is still one of IPv4. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
