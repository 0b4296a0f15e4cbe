/** The work of each row of the REST interface, which only reads. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Handlers, RequestContext } from '../operations/index.js';
import type { Endpoints } from './contract.js';
import type { ReadClock, Reads } from './reads.js';

type Handler<A> = (
  given: { readonly params: { readonly address: string } },
  context: RequestContext,
) => ReturnType<ReadClock<A>>;

const ofClock =
  <A>(read: ReadClock<A>): Handler<A> =>
  ({ params: { address } }, { signal }) =>
    read(address, signal);

export const clockHandlers = (reads: Reads): Handlers<Endpoints, DeviceError> => ({
  devices: () => TE.right(reads.devices()),
  sensors: ofClock(reads.sensors),
  battery: ofClock(reads.battery),
  firmware: ofClock(reads.firmware),
  alarms: ofClock(reads.alarms),
  settings: ofClock(reads.settings),
});
