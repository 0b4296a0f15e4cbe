/** Which server may connect a device, where several hear it. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from './device-error.js';
import type { Address, Unsubscribe } from '../ble/ports.js';

export interface Ownership {
  /** Left `OwnedElsewhere`: another server is known to have the device. */
  readonly check: (address: Address) => E.Either<DeviceError, void>;
  /**
   * Takes a device before a link to it is made, until it is released. Left `OwnedElsewhere` if another server has it or was
   * first, `Unclaimed` if that could not be settled, `Aborted` by `signal`.
   */
  readonly claim: (address: Address, signal: AbortSignal) => TE.TaskEither<DeviceError, void>;
  /** Gives back a device that has no link any more. */
  readonly release: (address: Address) => void;
  /** Calls back when another server has got a device that was claimed here and has no link. It is released then. */
  readonly onTaken: (listener: (address: Address, owner: string) => void) => Unsubscribe;
}

/** The ownership of a server by itself. */
export const ALONE: Ownership = {
  check: () => E.right(undefined),
  claim: () => TE.right(undefined),
  release: () => undefined,
  onTaken: () => () => undefined,
};

/** Looks for a device unless another server has it, which may not be known until the search has failed. */
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

/** Connects a device that is claimed for it, and released if that fails. */
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
