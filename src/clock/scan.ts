import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { openCollector } from '../ble/collector.js';
import type { Radio } from '../ble/ports.js';
import { byStrength } from '../ble/search.js';
import { searchError, type ServerError } from '../http/index.js';
import type { WaitLimits } from '../wait.js';
import type { DiscoveredClock } from './contract.js';
import type { Sighting, Sightings } from './sightings.js';

/**
 * The clocks that advertise within `limits.ms`, strongest signal first, those of unknown strength last. Left: the
 * adapter is off (CoreError), or `limits.signal` gave it up (Unavailable).
 */
export type Scan = (limits: WaitLimits) => TE.TaskEither<ServerError, readonly DiscoveredClock[]>;

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
  const { collect } = openCollector(radio, sightings.note);
  return (limits) =>
    pipe(
      collect(limits),
      TE.bimap(searchError, (clocks) => [...clocks].sort(byStrength).map(discovered)),
    );
};
