/**
 * Finds servers on a network without a broker by the type `_airbench._tcp` of DNS-SD (RFC 6763), over multicast DNS (RFC
 * 6762), and announces them.
 */
import { isIPv4 } from 'node:net';
import { hostname } from 'node:os';
import { Bonjour, type Service } from 'bonjour-service';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import { detached } from '../../async/defects.js';
import type { Kind } from '../../contract/index.js';
import { isLoopback } from '../../http/hosts.js';
import { version } from '../../system/package.js';
import type { TimeSource } from '../../async/time.js';
import { pause } from '../../async/wait.js';

const TYPE = 'airbench';

/** The limit of a name in DNS, 63 bytes, less the bytes of kind and port. */
const MOST_OF_NAME = 40;

interface Announced {
  readonly kind: Kind;
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly needsToken: boolean;
}

export interface FoundServer {
  readonly kind: string;
  readonly name: string;
  readonly url: string;
  readonly version: string;
  readonly needsToken: boolean;
}

type ServiceRecord = ReturnType<Service['records']>[number];

/** The part of the library that announces services, which its types omit. */
interface Internals {
  readonly registry: { announce: (server: unknown, service: Service) => void };
}

/** The interface with `address`; undefined: all interfaces. The library speaks IPv4 alone. */
const interfaceOf = (address: string): string | undefined => {
  if (isLoopback(address)) return '127.0.0.1';
  return isIPv4(address) && address !== '0.0.0.0' ? address : undefined;
};

const openMdns = (address: string, failed: (error: unknown) => void): Bonjour => {
  const on = interfaceOf(address);
  // A multicast socket is bound to all addresses. The library passes these options to multicast-dns, but its types lack them.
  const options = Object.fromEntries(
    on === undefined ? [] : Object.entries({ interface: on, bind: '0.0.0.0' }),
  );
  return new Bonjour(options, failed);
};

/** Whether a program that listens on `address` may publish a record: `::` has the addresses of both families. */
const isListenedOn = (address: string, { type, data }: ServiceRecord): boolean =>
  (type !== 'A' && type !== 'AAAA') ||
  address === '::' ||
  (address === '0.0.0.0' ? type === 'A' : data === address);

/** Filters the records of the library, which publishes the addresses of all interfaces but loopback. */
const publishOnly = (mdns: Bonjour, isPublished: (record: ServiceRecord) => boolean): void => {
  const { registry } = mdns as unknown as Internals;
  const announceAll = registry.announce.bind(registry);
  registry.announce = (server, service) => {
    const published = service.records().filter(isPublished);
    service.records = () => published;
    announceAll(server, service);
  };
};

interface Published {
  readonly name: string;
  readonly type: string;
  readonly port: number;
  readonly txt: Readonly<Record<string, string>>;
}

/** Publishes a record on the interfaces of `address` until the returned task withdraws it. */
const publish = (address: string, record: Published, log: Logger): Task<void> => {
  const mdns = openMdns(address, (error) =>
    log.warn({ err: error }, `${record.name} cannot be announced by mDNS`),
  );
  publishOnly(mdns, (published) => isListenedOn(address, published));
  mdns.publish({ ...record, host: `${hostname().replace(/\..*$/, '')}.local`, probe: false });
  return () =>
    new Promise((resolve) => {
      mdns.unpublishAll(() => mdns.destroy(() => resolve()));
    });
};

export const announce = ({ kind, name, address, port, needsToken }: Announced, log: Logger): Task<void> =>
  publish(
    address,
    {
      name: `${name.slice(0, MOST_OF_NAME)} (${kind}, ${port})`,
      type: TYPE,
      port,
      txt: { kind, name, path: '/', version, token: needsToken ? 'yes' : 'no' },
    },
    log,
  );

/** The type of devices that speak the API of ESPHome. */
const PROXY_TYPE = 'esphomelib';

interface AnnouncedProxy {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** The TXT record of a device of ESPHome. */
  readonly txt: Readonly<Record<string, string>>;
}

export const announceProxy = ({ address, ...record }: AnnouncedProxy, log: Logger): Task<void> =>
  publish(address, { ...record, type: PROXY_TYPE }, log);

/** An announced device of ESPHome; only its API says whether it is a Bluetooth proxy. */
export interface FoundProxy {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

interface BrowseOptions {
  readonly time: TimeSource;
  readonly ms: number;
  /** The address of the interface to search on; undefined: all interfaces. */
  readonly address?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Searches for services of a `type`. */
const browse =
  <A>(
    type: string,
    { address, ...limits }: BrowseOptions,
    read: (service: Service) => A,
  ): Task<readonly A[]> =>
  () =>
    new Promise((resolve, reject) => {
      const mdns = openMdns(address ?? '0.0.0.0', reject);
      const browser = mdns.find({ type });
      detached(
        pause(limits).then(() => {
          const services = browser.services.map(read);
          browser.stop();
          mdns.destroy(() => resolve(services));
        }),
      );
    });

const senderOf = ({ addresses = [], referer }: Pick<Service, 'addresses' | 'referer'>): string =>
  referer?.address ?? addresses[0] ?? '';

export const discoverProxies = (options: BrowseOptions): Task<readonly FoundProxy[]> =>
  browse(PROXY_TYPE, options, (service) => {
    const { name, port } = service;
    return { host: senderOf(service), port, name };
  });

const textOf = (txt: unknown, key: string): string => {
  const texts: Readonly<Record<string, unknown>> = { ...(typeof txt === 'object' ? txt : {}) };
  const text = texts[key];
  return typeof text === 'string' ? text : '';
};

/** The URL of a path; a path without a slash at its beginning could change the host, and is ignored. */
const serverUrl = (origin: string, path: string): string => {
  const url = origin + (path.startsWith('/') ? path : '/');
  return URL.canParse(url) ? new URL(url).href : origin;
};

/** A server from the record that it announces; its host is the sender of the answer, whatever the record says. */
export const foundServer = (
  service: Pick<Service, 'txt' | 'port' | 'addresses' | 'referer'>,
): FoundServer => {
  const { port } = service;
  const texts: unknown = service.txt;
  const address = senderOf(service);
  const origin = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    kind: textOf(texts, 'kind'),
    name: textOf(texts, 'name'),
    url: serverUrl(origin, textOf(texts, 'path')),
    version: textOf(texts, 'version'),
    needsToken: textOf(texts, 'token') === 'yes',
  };
};

export const discover = (options: BrowseOptions): Task<readonly FoundServer[]> =>
  browse(TYPE, options, foundServer);
