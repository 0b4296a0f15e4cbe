/** One run at a time on one bench. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { codeOf, isAlive, systemReason } from '../../src/system/system-error.js';
import { CannotRun } from './cannot-run.js';

/** Signals that end a process without the event `exit`, after which the lock, the screen and the reports are in order. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process that holds the lock. Undefined: the process is gone. */
const holderOf = (lock: string): number | undefined => {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const take = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new CannotRun(`the bench cannot be locked: ${systemReason(error)}`);
  }
};

/**
 * Locks the bench of a file for this process, by a lock file beside it, and takes over the lock of a process that is
 * gone. The returned function releases the lock.
 */
export const lockBench = (benchFile: string): (() => void) => {
  const lock = `${benchFile}.lock`;
  for (let attempt = 1; !take(lock); attempt++) {
    const holder = holderOf(lock);
    if (holder !== undefined || attempt > 1) {
      throw new CannotRun(
        `the bench ${benchFile} is in use by process ${holder ?? 'unknown'}: wait for its end (${lock} names it)`,
      );
    }
    rmSync(lock, { force: true });
  }
  const release = (): void => rmSync(lock, { force: true });
  const endBy = (signal: NodeJS.Signals): void => {
    // Ctrl-C may only end the run in order.
    if (process.listenerCount(signal) > 0) return;
    process.exit(128 + constants.signals[signal]);
  };
  process.once('exit', release);
  for (const signal of SIGNALS) process.once(signal, endBy);
  return () => {
    process.off('exit', release);
    for (const signal of SIGNALS) process.off(signal, endBy);
    release();
  };
};
