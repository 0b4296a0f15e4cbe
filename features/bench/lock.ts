/** One run at a time on one bench. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf, isAlive, systemReason } from '../../src/system/system-error.js';
import { CannotRun } from './cannot-run.js';

/** They end a process without `exit`. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process that holds it; undefined if it is gone. */
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
 * Locks the bench of a file for this process, by a file beside it; gives back how to release it. The lock of a process
 * that is gone is taken over.
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
  const endedBy = (signal: NodeJS.Signals): void => {
    release();
    process.kill(process.pid, signal);
  };
  process.once('exit', release);
  for (const signal of SIGNALS) process.once(signal, endedBy);
  return () => {
    process.off('exit', release);
    for (const signal of SIGNALS) process.off(signal, endedBy);
    release();
  };
};
