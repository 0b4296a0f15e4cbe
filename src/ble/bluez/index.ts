/** The radio on BlueZ, over D-Bus: it needs neither a native module nor rights, and leaves the adapter to other programs. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { TimeSource } from '../../async/time.js';
import type { Memory } from '../advertisement-cache.js';
import type { Address, BleError, BleLimits, Radio } from '../ports.js';

/** An adapter of BlueZ. */
export interface BluezAdapter {
  /** Such as `hci0`; the kernel may give it another number when it is plugged in again. */
  readonly name: string;
  readonly address: Address;
  readonly isPowered: boolean;
}

export interface BluezOptions {
  /** The name of an adapter; undefined: the first one that is on, else the first. */
  readonly adapter: string | undefined;
  readonly limits: BleLimits;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly time?: TimeSource;
  readonly memory?: Memory;
}

export interface BluezRadio extends Radio {
  /** Such as `hci0`. */
  readonly adapter: string;
  /** The reason why it cannot be used now, with a remedy: a message. */
  readonly problem: string | undefined;
}

/** The adapters of BlueZ, by number. Left: the reason why BlueZ cannot be used, with a remedy. */
export const listBluezAdapters: TaskEither<string, readonly BluezAdapter[]> = () =>
  Promise.resolve(E.left('not written yet'));

/** Opens an adapter of BlueZ. Left `AdapterUnavailable`: BlueZ cannot be used, or has no such adapter; the reason has a remedy. */
export const openBluez = (options: BluezOptions): TaskEither<BleError, BluezRadio> => {
  const reason = `${options.adapter ?? 'BlueZ'}: not written yet`;
  return () => Promise.resolve(E.left({ _tag: 'AdapterUnavailable', reason }));
};
