/** The proxies that the flags name, and the ones that mDNS finds, with their keys. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { systemTime } from '../../async/time.js';
import type { ProxyAddress, Search } from '../../ble/esphome/index.js';
import { missingPackage } from '../../system/packages.js';
import { proxyKeys, type ProxyFlags, type ProxySpec } from '../options/proxies.js';
import type { FoundProxy } from './mdns.js';

/** How long proxies may take to answer to mDNS, ms. */
const DISCOVER_MS = 3_000;

type Place = Exclude<ProxySpec, 'auto'>;

const isPlace = (spec: ProxySpec): spec is Place => spec !== 'auto';

/** The hosts that may stand for a device in `--proxy` and in the keys. */
const hostsOf = ({ name, host }: FoundProxy): readonly string[] => [`${name}.local`, name, host];

type Find = (signal?: AbortSignal) => TE.TaskEither<string, readonly FoundProxy[]>;

const byMdns: Find = (signal) =>
  TE.tryCatch(
    async () => {
      const { discoverProxies } = await import('./mdns.js');
      return discoverProxies({ time: systemTime, ms: DISCOVER_MS, ...(signal && { signal }) })();
    },
    (error) => `--proxy auto: mDNS does not work: ${E.toError(error).message}`,
  );

interface ProxyAddresses {
  readonly named: readonly ProxyAddress[];
  /** Finds all other proxies, for `auto`. */
  readonly search: Search | undefined;
}

/** `find`: all devices of ESPHome on the network. Left: a message. */
export const proxyAddresses = (flags: ProxyFlags, find: Find = byMdns): E.Either<string, ProxyAddresses> => {
  const places = flags.proxy.filter(isPlace);
  const isAuto = places.length < flags.proxy.length;
  const missing = isAuto ? missingPackage('bonjour-service') : undefined;
  if (missing !== undefined) return E.left(`--proxy auto: ${missing}`);
  const isNamed = (proxy: FoundProxy): boolean =>
    places.some(({ host, port }) => port === proxy.port && hostsOf(proxy).includes(host));
  return pipe(
    proxyKeys(flags, process.env),
    E.map((keyFor): ProxyAddresses => ({
      named: places.map(({ host, port }) => ({ host, port, key: keyFor(host) })),
      search: isAuto
        ? (signal) =>
            pipe(
              find(signal),
              TE.map((all) =>
                all
                  .filter((proxy) => !isNamed(proxy))
                  .map((proxy) => ({
                    ...proxy,
                    key: hostsOf(proxy)
                      .map(keyFor)
                      .find((key) => key !== undefined),
                  })),
              ),
            )
        : undefined,
    })),
  );
};
