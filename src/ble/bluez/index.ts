/** The radio on BlueZ, over D-Bus: it needs neither a native module nor rights, and leaves the adapter to other programs. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { systemTime, type TimeSource } from '../../async/time.js';
import { missingPackage } from '../../system/packages.js';
import { DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
import type { BleError, BleLimits } from '../ports.js';
import { problemText, type Problem } from '../problem.js';
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

const LIBRARY = '@jellybrick/dbus-next';

/** The reason why this program cannot use BlueZ on any machine like this one. */
const unsupported = (): Problem | undefined => {
  if (process.platform !== 'linux')
    return { what: 'only Linux has BlueZ', fix: 'use a Bluetooth proxy with --proxy' };
  return missingPackage(LIBRARY) === undefined
    ? undefined
    : { what: `BlueZ needs the package ${LIBRARY}, which is not installed`, fix: `npm install ${LIBRARY}` };
};

/** The adapters of BlueZ, by number. Left: the reason why BlueZ cannot be used. */
export const listBluezAdapters: TaskEither<Problem, readonly BluezAdapter[]> = async () => {
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
    const started = reason === undefined ? await radio.start(adapter) : E.left(problemText(reason));
    if (E.isRight(started)) return E.right(radio);
    await radio.close();
    return E.left({ _tag: 'AdapterUnavailable', reason: started.left });
  };

export type { BluezAdapter, BluezRadio };
