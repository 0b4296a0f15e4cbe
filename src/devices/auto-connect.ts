/** Connects devices as soon as possible, without a client's request. */
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { DeviceError } from './device-error.js';
import type { Address } from '../ble/ports.js';
import { retry, type RetryOptions } from './retry.js';

type Connect = (signal: AbortSignal) => TE.TaskEither<DeviceError, unknown>;

export const openAutoConnect = (options: Pick<RetryOptions, 'radio' | 'time' | 'random' | 'log'>) => {
  const added = new Map<Address, Connect>();
  /** Controllers of the devices that are not connected yet. */
  const pending = new Map<Address, AbortController>();

  const stop = (address: Address): boolean => {
    pending.get(address)?.abort();
    return pending.delete(address);
  };

  const again = (address: Address): void => {
    const connect = added.get(address);
    if (connect === undefined || pending.has(address)) return;
    const controller = new AbortController();
    const { signal } = controller;
    pending.set(address, controller);
    detached(
      retry(connect(signal), { ...options, address, signal })().then(() => {
        // Another attempt may have replaced it.
        if (pending.get(address) === controller) pending.delete(address);
      }),
    );
  };

  return {
    /** Connects a device as soon as possible, also if a client has disconnected it. */
    add: (address: Address, connect: Connect): void => {
      added.set(address, connect);
      again(address);
    },
    /** Leaves a device to clients; its session goes on. */
    remove: (address: Address): void => {
      added.delete(address);
      stop(address);
    },
    /** Whether a device was added: the server never gives up its session. */
    has: (address: Address): boolean => added.has(address),
    /** Stops connecting a device that is not connected yet. False: the device was not being connected. */
    stop,
    /** Stops connecting all devices. */
    close: (): void => {
      for (const address of [...pending.keys()]) stop(address);
      added.clear();
    },
  };
};
