/** The radio of a service, which its configuration names, so that an upgrade changes nothing. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { defaultAdapter, listBluezAdapters } from '../../ble/bluez/index.js';
import { listAdapters } from '../../ble/hci/adapters.js';
import { describeHciSpec } from '../../ble/hci/spec.js';
import { problemText } from '../../ble/problem.js';
import { proxiesText } from '../options/proxies.js';
import type { ServerFlags } from '../options/server-flags.js';
import { chooseRadio } from '../servers/radio-choice.js';

export type RadioFlags = Pick<ServerFlags, 'hci' | 'bluez' | 'proxy'>;

const NO_RADIO: RadioFlags = { hci: { kind: 'default' }, bluez: undefined, proxy: [] };

/** The flags of a radio, by their names in a configuration; none: the server chooses at each start. */
export const radioEntries = ({ hci, bluez, proxy }: RadioFlags): ReadonlyMap<string, string> =>
  new Map([
    ...(hci.kind === 'default' ? [] : [['hci', describeHciSpec(hci)] as const]),
    ...(bluez === undefined ? [] : [['bluez', bluez.adapter ?? 'true'] as const]),
    ...(proxy.length === 0 ? [] : [['proxy', proxiesText(proxy)] as const]),
  ]);

/** The flags as lines of a configuration. */
export const radioLines = (radio: RadioFlags): readonly string[] =>
  [...radioEntries(radio)].map(([name, value]) => `${name}: ${value}`);

/** Whether a server on this radio opens an adapter by HCI, or may do so since it chooses. */
export const needsRights = (radio: RadioFlags): boolean =>
  radioEntries(radio).size === 0 || radio.hci.kind === 'user' || radio.hci.kind === 'native';

/** The radio that a server would choose now. Left: the reasons against each way. */
export const chosenRadio: TE.TaskEither<string, RadioFlags> = chooseRadio({
  listAdapters,
  take: (hci) => TE.right({ ...NO_RADIO, hci }),
  bluez: pipe(
    listBluezAdapters,
    TE.mapLeft(problemText),
    TE.map(defaultAdapter),
    TE.chain((adapter) =>
      adapter === undefined
        ? TE.left('it has no adapter')
        : TE.right({ ...NO_RADIO, bluez: { adapter: adapter.name } }),
    ),
  ),
  // The unit has the rights for it.
  mayShare: () => true,
  warn: () => undefined,
});
