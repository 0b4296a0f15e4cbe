import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Radio } from '../ble/ports.js';
import { strongestFirst } from '../devices/search.js';
import { sharedScan } from '../devices/shared-scan.js';
import type { WaitLimits } from '../async/wait.js';
import type { DiscoveredClock } from './contract.js';
import type { Sighting, Sightings } from './sightings.js';

/**
 * The clocks that advertise within `limits.ms`: the strongest signal first, equal signals by address, unknown signals
 * last. Left `AdapterOff`, or `Aborted` by `limits.signal`.
 */
export type Scan = (limits: WaitLimits) => TE.TaskEither<DeviceError, readonly DiscoveredClock[]>;

const discovered = ({ address, name, rssi, reading }: Sighting): DiscoveredClock => ({
  address,
  name,
  rssi,
  advertisement:
    reading === null
      ? null
      : { temperature: reading.temperature, humidity: reading.humidity, battery: reading.battery },
});

export const openScan = (radio: Radio, sightings: Sightings): Scan => {
  const scan = sharedScan(radio, sightings.record);
  return (limits) =>
    pipe(
      scan.run(limits),
      TE.map((clocks) => [...clocks].sort(strongestFirst).map(discovered)),
    );
};
