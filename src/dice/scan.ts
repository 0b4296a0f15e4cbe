import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address, Advertisement, Radio } from '../ble/ports.js';
import { strongestFirst } from '../devices/search.js';
import { sharedScan } from '../devices/shared-scan.js';
import type { WaitLimits } from '../async/wait.js';
import type { DiscoveredDevice } from './contract.js';
import { driverOf, isDie } from './drivers/index.js';

/**
 * The dice that advertise within `limits.ms`: the strongest signal first, equal signals by address, unknown signals
 * last. `detail`: with the data that they advertise about themselves. Left `AdapterOff`, or `Aborted` by `limits.signal`.
 */
export type Scan = (
  limits: WaitLimits,
  detail?: 'full',
) => TE.TaskEither<DeviceError, readonly DiscoveredDevice[]>;

const detailed = (
  advertisement: Advertisement,
): Omit<Required<DiscoveredDevice>, 'address' | 'label' | 'name' | 'rssi'> => {
  const { model, advertised } = driverOf(advertisement);
  return { maker: model, ...advertised(advertisement) };
};

/** `labelOf`: the names that people gave dice. */
export const openScan = (radio: Radio, labelOf: (address: Address) => string | null): Scan => {
  const scan = sharedScan<Advertisement>(radio, (advertisement, before) =>
    isDie(advertisement) ? { ...advertisement, name: advertisement.name ?? before?.name ?? null } : undefined,
  );
  return (limits, detail) =>
    pipe(
      scan.run(limits),
      TE.map((advertisements) =>
        [...advertisements].sort(strongestFirst).map((advertisement) => {
          const { address, name, rssi } = advertisement;
          const device = { address, name: name ?? '', rssi };
          return detail === undefined
            ? device
            : { ...device, label: labelOf(address), ...detailed(advertisement) };
        }),
      ),
    );
};
