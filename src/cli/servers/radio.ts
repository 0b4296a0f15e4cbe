/** The radio of a server: adapters by HCI and by BlueZ, and proxies, each as a part of it. */
import { readFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { systemTime } from '../../async/time.js';
import { CombinedRadio, type Part } from '../../ble/combined-radio.js';
import { listAdapters } from '../../ble/hci/adapters.js';
import { describeHciSpec, type NamedSpec } from '../../ble/hci/spec.js';
import { openRadio } from '../../ble/noble/index.js';
import type { BleLimits } from '../../ble/ports.js';
import { hasCapability } from '../../doctor/gather.js';
import { deviceMessage } from '../../operations/index.js';
import type { BluezSpec } from '../options/options.js';
import { radioTrace } from '../output/radio-trace.js';
import { ms, type ServerFlags } from '../options/server-flags.js';
import { proxyAddresses } from './proxy-addresses.js';
import { chooseRadio, type OpenPart } from './radio-choice.js';

const limitsOf = (flags: ServerFlags): BleLimits => ({
  connect: ms(flags.connectTimeout),
  discover: ms(flags.discoverTimeout),
  gatt: ms(flags.gattTimeout),
});

const openHci = (flags: ServerFlags, log: Logger, hci: NamedSpec): OpenPart =>
  pipe(
    openRadio({
      ...{ hci, limits: limitsOf(flags), tap: radioTrace(log).packets },
      warn: (message, error) => log.warn({ err: error }, message),
    }),
    TE.bimap(deviceMessage, (radio) => ({ name: describeHciSpec(hci), radio })),
  );

const openBluezPart =
  (flags: ServerFlags, log: Logger, { adapter }: BluezSpec): OpenPart =>
  async () => {
    const { openBluez } = await import('../../ble/bluez/index.js');
    return pipe(
      await openBluez(adapter, {
        limits: limitsOf(flags),
        inform: (message) => log.info(message),
        warn: (message) => log.warn(message),
      })(),
      E.bimap(deviceMessage, (radio) => ({
        ...{ name: `bluez:${radio.adapter}`, radio },
        problem: () => radio.partProblem,
      })),
    );
  };

/** Opens one after another. Left: none of them is open. */
const openAll =
  (all: readonly OpenPart[]): TE.TaskEither<string, readonly Part[]> =>
  async () => {
    const parts: Part[] = [];
    for (const open of all) {
      const opened = await open();
      if (E.isRight(opened)) {
        parts.push(opened.right);
        continue;
      }
      await closeAll(parts)();
      return opened;
    }
    return E.right(parts);
  };

const closeAll = (parts: readonly Part[]) => () => Promise.all(parts.map(({ radio }) => radio.close()));

const openProxies = (
  flags: ServerFlags,
  log: Logger,
  beside: readonly Part[],
): TE.TaskEither<string, CombinedRadio> =>
  pipe(
    TE.fromEither(proxyAddresses(flags)),
    TE.chain(({ named, search }) => async () => {
      const { openProxyRadio } = await import('../../ble/esphome/index.js');
      return E.mapLeft(deviceMessage)(
        await openProxyRadio({
          ...{ proxies: named, beside, limits: limitsOf(flags), time: systemTime },
          ...(search !== undefined && { search }),
          inform: (message) => log.info(message),
          warn: (message) => log.warn(message),
          tap: radioTrace(log).messagesOf,
        })(),
      );
    }),
    // Nobody else closes the adapters.
    TE.orElseFirstTaskK(() => closeAll(beside)),
  );

const openDefault = (flags: ServerFlags, log: Logger): OpenPart => {
  if (process.platform !== 'linux')
    return TE.left(
      'no radio can be used: only Linux opens an adapter; use a Bluetooth proxy with --proxy auto, ' +
        'or a virtual radio with `npx airbench air` and --hci tcp:localhost:6402',
    );
  return chooseRadio({
    listAdapters,
    take: (adapter) => openHci(flags, log, adapter),
    bluez: openBluezPart(flags, log, {}),
    mayShare: () => hasCapability(readFileSync('/proc/self/status', 'utf8'), 'CAP_NET_RAW'),
    warn: (message) => log.warn(message),
  });
};

/** Opens the radios that the flags name, else the one that this machine offers. Left: a message. */
export const openServerRadio = (flags: ServerFlags, log: Logger): TE.TaskEither<string, CombinedRadio> => {
  const { hci, bluez, proxy } = flags;
  const named = [
    ...(hci.kind === 'default' ? [] : [openHci(flags, log, hci)]),
    ...(bluez === undefined ? [] : [openBluezPart(flags, log, bluez)]),
  ];
  const isChosen = named.length + proxy.length > 0;
  return pipe(
    openAll(isChosen ? named : [openDefault(flags, log)]),
    TE.chain((parts) =>
      proxy.length === 0
        ? TE.right(new CombinedRadio(parts, (message) => log.info(message)))
        : openProxies(flags, log, parts),
    ),
  );
};
