import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Advertisement, Radio } from '../ble/ports.js';
import { strongestFirst } from '../devices/search.js';
import { sharedScan } from '../devices/shared-scan.js';
import type { WaitLimits } from '../async/wait.js';
import type { DiscoveredDevice } from './contract.js';
import { isDiceName, NUS_SERVICE } from './drivers/godice/protocol/index.js';

/**
 * The dice that advertise within `limits.ms`, strongest signal first, equal ones by their address, those of unknown strength
 * last. Left `AdapterOff`, or `Aborted` by `limits.signal`.
 */
export type Scan = (limits: WaitLimits) => TE.TaskEither<DeviceError, readonly DiscoveredDevice[]>;

/** Other devices offer the same service: the name decides, once it is known. */
export const isDie = ({ name, serviceUuids }: Advertisement): boolean =>
  name === null ? serviceUuids.includes(NUS_SERVICE) : isDiceName(name);

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
