import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { openCollector } from '../ble/collector.js';
import type { Advertisement, Radio } from '../ble/ports.js';
import { byStrength } from '../ble/search.js';
import { searchError, type ServerError } from '../http/index.js';
import type { WaitLimits } from '../wait.js';
import type { DiscoveredDevice } from './contract.js';
import { isDiceName, NUS_SERVICE } from './protocol/index.js';

/**
 * The dice that advertise within `limits.ms`, strongest signal first, those of unknown strength last. Left: the
 * adapter is off (CoreError), or `limits.signal` gave it up (Unavailable).
 */
export type Scan = (limits: WaitLimits) => TE.TaskEither<ServerError, readonly DiscoveredDevice[]>;

/** Other devices offer the same service: the name decides, once it is heard. */
const isDie = ({ name, serviceUuids }: Advertisement): boolean =>
  name === null ? serviceUuids.includes(NUS_SERVICE) : isDiceName(name);

export const openScan = (radio: Radio): Scan => {
  const { collect } = openCollector<DiscoveredDevice>(radio, (advertisement, before) => {
    const { address, name, rssi } = advertisement;
    return isDie(advertisement) ? { address, name: name ?? before?.name ?? '', rssi } : undefined;
  });
  return (limits) =>
    pipe(
      collect(limits),
      TE.bimap(searchError, (dice) => [...dice].sort(byStrength)),
    );
};
