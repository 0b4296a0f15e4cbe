/** Devices that another server is connected to: they cannot be found, since a device takes one link and stops advertising. */
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address } from '../ble/ports.js';
import type { DeviceError } from './device-error.js';

/**
 * The name of another server that has a link to a device; undefined: no message names one, or there is no broker. Takes up to 2 s;
 * never rejects.
 */
export type LinkedNeighbour = (address: Address) => Task<string | undefined>;

/** A server without neighbours. */
export const ALONE: LinkedNeighbour = () => () => Promise.resolve(undefined);

const UNREACHED: ReadonlySet<DeviceError['_tag']> = new Set([
  ...(['NotFound', 'NotConnected', 'ConnectFailed', 'LinkLost', 'Timeout'] as const),
]);

/** Whether the failure to connect a device may have its reason in another server. */
const isUnreached = (error: DeviceError): boolean =>
  UNREACHED.has(error._tag) && !(error._tag === 'NotConnected' && error.cause === 'disconnected');

/** Asks, if a device could not be connected, whether another server has it. Left `OwnedElsewhere` with its name, or the failure. */
export const orOwnedElsewhere = <A>(
  linkedNeighbour: LinkedNeighbour,
  address: Address,
  connect: TE.TaskEither<DeviceError, A>,
): TE.TaskEither<DeviceError, A> =>
  TE.orElse<DeviceError, A, DeviceError>((error) => async () => {
    const owner = isUnreached(error) ? await linkedNeighbour(address)() : undefined;
    return TE.left<DeviceError, A>(
      owner === undefined ? error : { _tag: 'OwnedElsewhere', address, owner },
    )();
  })(connect);
