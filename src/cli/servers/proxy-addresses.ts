/** The proxies that the flags name, and those that mDNS finds, with their keys. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { systemTime } from '../../async/time.js';
import type { ProxyAddress } from '../../ble/esphome/index.js';
import { missingPackage } from '../../system/optional-package.js';
import { proxyKeys, type ProxyFlags, type ProxySpec } from '../options/proxies.js';

/** How long proxies may take to answer to mDNS, ms. */
const DISCOVER_MS = 3_000;

type Place = Exclude<ProxySpec, 'auto'>;

const isPlace = (spec: ProxySpec): spec is Place => spec !== 'auto';

export const NONE_FOUND = `--proxy auto: no device of ESPHome answered within ${DISCOVER_MS / 1000} s`;

/** The proxies that mDNS finds. Left: a message. */
const announced = async (): Promise<E.Either<string, readonly Place[]>> => {
  const missing = missingPackage('bonjour-service');
  if (missing !== undefined) return E.left(`--proxy auto: ${missing}`);
  const { discoverProxies } = await import('./mdns.js');
  return E.right(await discoverProxies(systemTime, DISCOVER_MS)());
};

const isSame = (found: Place, { host, port }: Place): boolean =>
  port === found.port && (found.names?.includes(host) ?? false);

const placesOf = async (
  { proxy }: ProxyFlags,
  find: typeof announced,
): Promise<E.Either<string, readonly Place[]>> => {
  const named = proxy.filter(isPlace);
  if (named.length === proxy.length) return E.right(named);
  return E.map((found: readonly Place[]) => [
    ...named,
    ...found.filter((one) => !named.some((place) => isSame(one, place))),
  ])(await find());
};

/** `find`: the proxies for `auto`; there may be none. Left: a message. */
export const proxyAddresses = (
  flags: ProxyFlags,
  find = announced,
): TE.TaskEither<string, readonly ProxyAddress[]> =>
  pipe(
    TE.fromEither(proxyKeys(flags, process.env)),
    TE.bindTo('keyFor'),
    TE.bind('places', () => () => placesOf(flags, find)),
    TE.map(({ keyFor, places }) =>
      places.map(({ host, port, names = [host] }) => ({
        ...{ host, port },
        key: names.map(keyFor).find((key) => key !== undefined),
      })),
    ),
  );
