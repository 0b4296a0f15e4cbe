/** The radio of a server: an adapter, proxies, or both. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { systemTime } from '../../async/time.js';
import type { ProxyAddress } from '../../ble/esphome/index.js';
import { describeHciSpec } from '../../ble/hci/spec.js';
import { openRadio } from '../../ble/noble/index.js';
import type { BleLimits, Radio } from '../../ble/ports.js';
import { deviceMessage } from '../../operations/index.js';
import { missingPackage } from '../../system/optional-package.js';
import { proxyKeys, type ProxyFlags, type ProxySpec } from '../options/proxies.js';
import { ms, type ServerFlags } from '../options/server-flags.js';

/** How long proxies may take to answer to mDNS, ms. */
const DISCOVER_MS = 3_000;

const limitsOf = (flags: ServerFlags): BleLimits => ({
  connect: ms(flags.connectTimeout),
  discover: ms(flags.discoverTimeout),
  gatt: ms(flags.gattTimeout),
});

type Place = Exclude<ProxySpec, 'auto'>;

const isPlace = (spec: ProxySpec): spec is Place => spec !== 'auto';

/** The proxies that mDNS finds. Left: a message. */
const announced = async (): Promise<E.Either<string, readonly Place[]>> => {
  const missing = missingPackage('bonjour-service');
  if (missing !== undefined) return E.left(`--proxy auto: ${missing}`);
  const { discoverProxies } = await import('./mdns.js');
  const found = await discoverProxies(systemTime, DISCOVER_MS)();
  return found.length === 0
    ? E.left(
        `--proxy auto: no device of ESPHome answered within ${DISCOVER_MS / 1000} s: name each as --proxy esphome://HOST`,
      )
    : E.right(found);
};

const placesOf = async ({ proxy }: ProxyFlags): Promise<E.Either<string, readonly Place[]>> => {
  const named = proxy.filter(isPlace);
  if (named.length === proxy.length) return E.right(named);
  return E.map((found: readonly Place[]) => [...named, ...found])(await announced());
};

const openProxies = (
  flags: ServerFlags,
  log: Logger,
  adapter: Radio | undefined,
): TE.TaskEither<string, Radio> =>
  pipe(
    TE.fromEither(proxyKeys(flags, process.env)),
    TE.bindTo('keyFor'),
    TE.bind('places', () => () => placesOf(flags)),
    TE.chain(({ keyFor, places }) => async () => {
      const { openProxyRadio } = await import('../../ble/esphome/index.js');
      const proxies = places.map(({ host, port }): ProxyAddress => ({ host, port, key: keyFor(host) }));
      return E.mapLeft(deviceMessage)(
        await openProxyRadio({
          ...{ proxies, limits: limitsOf(flags), time: systemTime },
          ...(adapter !== undefined && { beside: { name: describeHciSpec(flags.hci), radio: adapter } }),
          inform: (message) => log.info(message),
          warn: (message) => log.warn(message),
        })(),
      );
    }),
    // Nobody else would close it.
    TE.orElse((reason) => async () => {
      await adapter?.close();
      return E.left(reason);
    }),
  );

const openAdapter = (flags: ServerFlags, log: Logger): TE.TaskEither<string, Radio> =>
  pipe(
    openRadio({
      ...{ hci: flags.hci, limits: limitsOf(flags) },
      warn: (message, error) => log.warn({ err: error }, message),
    }),
    TE.mapLeft(deviceMessage),
  );

/** Opens what the flags name: an adapter unless there are proxies and none is named, and all of these. Left is a message. */
export const openServerRadio = (flags: ServerFlags, log: Logger): TE.TaskEither<string, Radio> => {
  if (flags.proxy.length === 0) return openAdapter(flags, log);
  return flags.hci.kind === 'default'
    ? openProxies(flags, log, undefined)
    : pipe(
        openAdapter(flags, log),
        TE.chain((adapter) => openProxies(flags, log, adapter)),
      );
};
