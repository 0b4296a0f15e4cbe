/** The radio of a server: an adapter, proxies, or both. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { systemTime } from '../../async/time.js';
import { describeHciSpec } from '../../ble/hci/spec.js';
import { openRadio } from '../../ble/noble/index.js';
import type { BleLimits, Radio } from '../../ble/ports.js';
import { deviceMessage } from '../../operations/index.js';
import { radioTrace } from '../output/radio-trace.js';
import { ms, type ServerFlags } from '../options/server-flags.js';
import { proxyAddresses } from './proxy-addresses.js';

const limitsOf = (flags: ServerFlags): BleLimits => ({
  connect: ms(flags.connectTimeout),
  discover: ms(flags.discoverTimeout),
  gatt: ms(flags.gattTimeout),
});

const openProxies = (
  flags: ServerFlags,
  log: Logger,
  adapter: Radio | undefined,
): TE.TaskEither<string, Radio> =>
  pipe(
    TE.fromEither(proxyAddresses(flags)),
    TE.chain(({ named, search }) => async () => {
      const { openProxyRadio } = await import('../../ble/esphome/index.js');
      return E.mapLeft(deviceMessage)(
        await openProxyRadio({
          ...{ proxies: named, limits: limitsOf(flags), time: systemTime },
          ...(search !== undefined && { search }),
          ...(adapter !== undefined && { beside: { name: describeHciSpec(flags.hci), radio: adapter } }),
          inform: (message) => log.info(message),
          warn: (message) => log.warn(message),
          tap: radioTrace(log).messagesOf,
        })(),
      );
    }),
    // Nobody else closes the adapter.
    TE.orElseFirstTaskK(() => async () => adapter?.close()),
  );

const openAdapter = (flags: ServerFlags, log: Logger): TE.TaskEither<string, Radio> =>
  pipe(
    openRadio({
      ...{ hci: flags.hci, limits: limitsOf(flags), tap: radioTrace(log).packets },
      warn: (message, error) => log.warn({ err: error }, message),
    }),
    TE.mapLeft(deviceMessage),
  );

/** Opens the adapter and the proxies of the flags; with proxies, no adapter but the one that `--hci` names. Left: a message. */
export const openServerRadio = (flags: ServerFlags, log: Logger): TE.TaskEither<string, Radio> => {
  if (flags.proxy.length === 0) return openAdapter(flags, log);
  return flags.hci.kind === 'default'
    ? openProxies(flags, log, undefined)
    : pipe(
        openAdapter(flags, log),
        TE.chain((adapter) => openProxies(flags, log, adapter)),
      );
};
