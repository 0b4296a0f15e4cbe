/** Whether this machine has the Bluetooth adapter that a bench file names. */
import { existsSync, readdirSync } from 'node:fs';
import { CannotRun } from './cannot-run.js';

/** The folder in which Linux lists its adapters. */
const ADAPTERS = '/sys/class/bluetooth';

const adapters = (): readonly string[] =>
  existsSync(ADAPTERS) ? readdirSync(ADAPTERS).filter((name) => /^hci\d+$/.test(name)) : [];

/** A clause about the adapters of this machine, which are known in advance on Linux alone. */
const adaptersHere = (): string => {
  if (process.platform !== 'linux') return 'the adapters of this machine are not known before one is used';
  const names = adapters();
  return `this machine has ${names.length === 0 ? 'no Bluetooth adapter' : names.join(', ')}`;
};

/** Throws if `hci` names an adapter of this machine that is missing. `entry` is its place in the bench file. */
export const requireAdapter = (entry: string, hci: string): void => {
  const name = /^(?:user:)?(hci\d+|default)$/.exec(hci)?.[1];
  if (process.platform !== 'linux' || name === undefined) return;
  const names = adapters();
  if (name === 'default' ? names.length > 0 : names.includes(name)) return;
  throw new CannotRun(
    `${entry} is ${hci}, but ${adaptersHere()}: ` +
      'plug one in, or give the url of a server on another machine (docs/bench.md)',
  );
};
