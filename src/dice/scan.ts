import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Radio } from '../ble/ports.js';
import { strongestFirst } from '../devices/search.js';
import { sharedScan } from '../devices/shared-scan.js';
import type { WaitLimits } from '../async/wait.js';
import type { DiscoveredDevice } from './contract.js';
import { isDie } from './drivers/index.js';

/**
 * The dice that advertise within `limits.ms`, strongest signal first, equal ones by their address, those of unknown strength
 * last. Left `AdapterOff`, or `Aborted` by `limits.signal`.
 */
export type Scan = (limits: WaitLimits) => TE.TaskEither<DeviceError, readonly DiscoveredDevice[]>;

export const openScan = (radio: Radio): Scan => {
  const scan = sharedScan<DiscoveredDevice>(radio, (advertisement, before) => {
    const { address, name, rssi } = advertisement;
    return isDie(advertisement) ? { address, name: name ?? before?.name ?? '', rssi } : undefined;
  });
  return (limits) =>
    pipe(
      scan.run(limits),
      TE.map((dice) => [...dice].sort(strongestFirst)),
    );
};
