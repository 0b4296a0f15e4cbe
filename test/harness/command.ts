/** Flags and exit status of programs that run for a long time, such as `npm run load`. */
import { Command, type Option } from 'commander';
import { integerFlag } from '../../src/cli/options/options.js';
import { endOnMisuse } from '../../src/cli/options/usage.js';
import { removeFolders } from '../support/folders.js';
import { endPrograms } from '../../simulators/testing/internal/program.js';

/** The exit status after Ctrl-C or SIGTERM. */
const INTERRUPTED = 130;
const MOST_SHOWN = 50;

/** `npm run NAME`. */
export const longRun = (name: string, description: string): Command =>
  endOnMisuse(new Command(`npm run ${name} --`)).description(description);

export const countFlag = (flags: string, description: string, fallback: number, max = 10_000_000): Option =>
  integerFlag(flags, description, { min: 1, max }, fallback);

/** `shown`: the default seed, in words. */
export const seedFlag = (max: number, shown: string): Option =>
  integerFlag('--seed <number>', 'seed of all random numbers', { min: 0, max }, undefined, shown);

/**
 * The action of a command. Prints the problems that `run` resolves with, and sets the exit status 1 if there are any. At the
 * end, also by Ctrl-C or SIGTERM, it ends all programs that it has started.
 */
export const judged =
  <A extends readonly unknown[]>(run: (...args: A) => Promise<readonly string[]>) =>
  async (...args: A): Promise<void> => {
    process.once('exit', () => {
      void endPrograms();
      removeFolders();
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(INTERRUPTED));
    const problems = await run(...args);
    await endPrograms();
    if (problems.length === 0) return;
    process.exitCode = 1;
    console.log('PROBLEMS:');
    for (const problem of problems.slice(0, MOST_SHOWN)) console.log(`- ${problem}`);
  };
