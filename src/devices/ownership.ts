/** The ownership of devices that several servers hear: one of them may connect a device. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from './device-error.js';
import type { Address, Unsubscribe } from '../ble/ports.js';

export interface Ownership {
  /** Left `OwnedElsewhere`: another server owns the device. */
  readonly check: (address: Address) => E.Either<DeviceError, void>;
  /**
   * Takes a device, before a link to it is made, until `release`. Left `OwnedElsewhere`: another server owns it or was
   * first; `Unclaimed`: the fleet did not answer; `Aborted`: by `signal`.
   */
  readonly claim: (address: Address, signal: AbortSignal) => TE.TaskEither<DeviceError, void>;
  /** Releases a device whose link has ended. */
  readonly release: (address: Address) => void;
  /** Calls back when another server has taken a device that was claimed here and has no link; the device is released. */
  readonly onTaken: (listener: (address: Address, owner: string) => void) => Unsubscribe;
}

/** The ownership of a server without a fleet. */
export const ALONE: Ownership = {
  check: () => E.right(undefined),
  claim: () => TE.right(undefined),
  release: () => undefined,
  onTaken: () => () => undefined,
};

/** Searches for a device unless another server owns it; checks again if the search finds nothing. */
export const searched = <A>(
  ownership: Ownership,
  address: Address,
  search: TE.TaskEither<DeviceError, A>,
): TE.TaskEither<DeviceError, A> => {
  const check = TE.fromIOEither(() => ownership.check(address));
  return pipe(
    check,
    TE.chain(() => search),
    TE.orElse((error) =>
      pipe(
        error._tag === 'NotFound' ? check : TE.right(undefined),
        TE.chain(() => TE.left(error)),
      ),
    ),
  );
};

/** Claims and connects a device; releases it if that fails. */
export const claimed =
  <A>(
    ownership: Ownership,
    address: Address,
    signal: AbortSignal,
    connect: TE.TaskEither<DeviceError, A>,
  ): TE.TaskEither<DeviceError, A> =>
  async () => {
    const claim = await ownership.claim(address, signal)();
    if (E.isLeft(claim)) return claim;
    let connected = false;
    try {
      const outcome = await connect();
      connected = E.isRight(outcome);
      return outcome;
    } finally {
      if (!connected) ownership.release(address);
    }
  };
