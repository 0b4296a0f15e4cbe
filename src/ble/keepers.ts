/** Devices that are connected without a client's asking, as soon as they can be, each once. */
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { keepTrying, type Failure, type KeepTryingOptions } from './keep-trying.js';
import type { Address } from './ports.js';

export interface Keepers {
  /** Connects a device as soon as it can be. Who is kept already is not kept a second time. */
  readonly keep: (
    address: Address,
    connect: (signal: AbortSignal) => TE.TaskEither<Failure, unknown>,
  ) => void;
  /** Whether a device was ever to be kept: its session is not given up when its link is lost. */
  readonly isKept: (address: Address) => boolean;
  /** Ends the attempts at a device that was not connected so far. False if there are none. */
  readonly stop: (address: Address) => boolean;
  /** Ends all attempts. */
  readonly close: () => void;
}

export const openKeepers = (options: Pick<KeepTryingOptions, 'radio' | 'clock' | 'random'>): Keepers => {
  const kept = new Set<Address>();
  /** Ends the attempts at those that are not connected yet. */
  const trying = new Map<Address, AbortController>();

  const stop = (address: Address): boolean => {
    trying.get(address)?.abort();
    return trying.delete(address);
  };

  return {
    keep: (address, connect) => {
      if (kept.has(address)) return;
      const controller = new AbortController();
      const { signal } = controller;
      kept.add(address);
      trying.set(address, controller);
      void keepTrying(connect(signal), { ...options, address, signal })().then(() => trying.delete(address));
    },
    isKept: (address) => kept.has(address),
    stop,
    close: () => {
      for (const address of [...trying.keys()]) stop(address);
    },
  };
};
