import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address, Radio } from '../ble/ports.js';
import { byStrength, listenFor } from '../ble/search.js';
import { searchError, type ServerError } from '../http/index.js';
import type { WaitLimits } from '../wait.js';
import type { DiscoveredClock } from './contract.js';
import type { Sighting, Sightings } from './sightings.js';

const discovered = ({ address, name, rssi, reading }: Sighting): DiscoveredClock => ({
  address,
  name,
  rssi,
  advertisement:
    reading === null
      ? null
      : { temperature: reading.temperature, humidity: reading.humidity, battery: reading.battery },
});

/**
 * The clocks that advertise within `limits.ms`, strongest signal first, those of unknown strength last. Left: the
 * adapter is off (CoreError), or `limits.signal` gave it up (Unavailable).
 */
export const scan = (
  radio: Radio,
  sightings: Sightings,
  limits: WaitLimits,
): TE.TaskEither<ServerError, readonly DiscoveredClock[]> => {
  const clocks = new Map<Address, Sighting>();
  return pipe(
    listenFor(radio, limits, (advertisement) => {
      const sighting = sightings.note(advertisement);
      if (sighting !== undefined) clocks.set(sighting.address, sighting);
    }),
    TE.bimap(searchError, () => [...clocks.values()].sort(byStrength).map(discovered)),
  );
};
