/** Whether this machine has the Bluetooth adapter that a bench file names. */
import { existsSync, readdirSync } from 'node:fs';
import { CannotRun } from './cannot-run.js';

/** Where Linux lists its adapters. */
const ADAPTERS = '/sys/class/bluetooth';

const adapters = (): readonly string[] =>
  existsSync(ADAPTERS) ? readdirSync(ADAPTERS).filter((name) => /^hci\d+$/.test(name)) : [];

/** A clause about the adapters of this machine. Elsewhere than on Linux nothing is known before one is used. */
export const adaptersHere = (): string => {
  if (process.platform !== 'linux') return 'the adapters of this machine are not known before one is used';
  const names = adapters();
  return `this machine has ${names.length === 0 ? 'no Bluetooth adapter' : names.join(', ')}`;
};

/** Throws if `hci` is an adapter of this machine and is not there; `entry` is where the bench file names it. */
export const requireAdapter = (entry: string, hci: string): void => {
  const name = /^(?:user:)?(hci\d+|default)$/.exec(hci)?.[1];
  if (process.platform !== 'linux' || name === undefined) return;
  const names = adapters();
  if (name === 'default' ? names.length > 0 : names.includes(name)) return;
  throw new CannotRun(
    `${entry} is ${hci}, but ${adaptersHere()}: ` +
      'plug one in, or name a server that is up elsewhere by its url (docs/bench.md)',
  );
};
