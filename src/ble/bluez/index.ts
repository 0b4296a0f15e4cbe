/** The radio on BlueZ, over D-Bus: it needs neither a native module nor rights, and leaves the adapter to other programs. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { systemTime, type TimeSource } from '../../async/time.js';
import { missingPackage } from '../../system/packages.js';
import { DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
import type { BleError, BleLimits } from '../ports.js';
import { systemBusOn } from './bus.js';
import { Daemon, type BluezAdapter } from './daemon.js';
import { BluezRadio } from './radio.js';

export interface BluezOptions {
  /** The name of an adapter; undefined: the first one that is on, else the first. */
  readonly adapter: string | undefined;
  readonly limits: BleLimits;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly time?: TimeSource;
  readonly memory?: Memory;
}

/** The reason why this program cannot use BlueZ on any machine like this one. */
const unsupported = (): string | undefined => {
  if (process.platform !== 'linux') return 'only Linux has BlueZ: use a Bluetooth proxy with --proxy';
  const missing = missingPackage('@jellybrick/dbus-next');
  return missing && `BlueZ cannot be used: ${missing}`;
};

/** The adapters of BlueZ, by number. Left: the reason why BlueZ cannot be used, with a remedy. */
export const listBluezAdapters: TaskEither<string, readonly BluezAdapter[]> = async () => {
  const reason = unsupported();
  if (reason !== undefined) return E.left(reason);
  const none = (): void => undefined;
  const daemon = new Daemon({
    open: systemBusOn(systemTime),
    time: systemTime,
    changed: none,
    updated: none,
  });
  await daemon.start();
  const { problem } = daemon;
  const { adapters } = daemon;
  daemon.close();
  return problem === undefined ? E.right(adapters) : E.left(problem);
};

/** Opens an adapter of BlueZ, on or off. Left `AdapterUnavailable`: BlueZ cannot be used, or has no such adapter; the reason has a remedy. */
export const openBluez =
  ({
    adapter,
    time = systemTime,
    memory = DEFAULT_MEMORY,
    ...options
  }: BluezOptions): TaskEither<BleError, BluezRadio> =>
  async () => {
    const radio = new BluezRadio({ ...options, time, memory, open: systemBusOn(time) });
    const reason = unsupported();
    const started = reason === undefined ? await radio.start(adapter) : E.left(reason);
    if (E.isRight(started)) return E.right(radio);
    await radio.close();
    return E.left({ _tag: 'AdapterUnavailable', reason: started.left });
  };

export type { BluezAdapter, BluezRadio };
