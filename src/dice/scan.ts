import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address, Advertisement, Radio } from '../ble/ports.js';
import { byStrength, listenFor } from '../ble/search.js';
import { searchError, type ServerError } from '../http/index.js';
import type { WaitLimits } from '../wait.js';
import type { DiscoveredDevice } from './contract.js';
import { isDiceName, NUS_SERVICE } from './protocol/index.js';

/** Other devices offer the same service: the name decides, once it is heard. */
const isDie = ({ name, serviceUuids }: Advertisement): boolean =>
  name === null ? serviceUuids.includes(NUS_SERVICE) : isDiceName(name);

/**
 * The dice that advertise within `limits.ms`, strongest signal first, those of unknown strength last. Left: the
 * adapter is off (CoreError), or `limits.signal` gave it up (Unavailable).
 */
export const scan = (
  radio: Radio,
  limits: WaitLimits,
): TE.TaskEither<ServerError, readonly DiscoveredDevice[]> => {
  const dice = new Map<Address, DiscoveredDevice>();
  return pipe(
    listenFor(radio, limits, (advertisement) => {
      if (!isDie(advertisement)) {
        dice.delete(advertisement.address);
        return;
      }
      const { address, name, rssi } = advertisement;
      dice.set(address, { address, name: name ?? dice.get(address)?.name ?? '', rssi });
    }),
    TE.bimap(searchError, () => [...dice.values()].sort(byStrength)),
  );
};
