/** Programs that run for long, such as `npm run load`: their flags, and how they end. */
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

/** `shown`: which seed it is unless given. */
export const seedFlag = (max: number, shown: string): Option =>
  integerFlag('--seed <number>', 'of all that happens by chance', { min: 0, max }, undefined, shown);

const cleanUp = (): void => {
  endPrograms();
  removeFolders();
};

/**
 * The action of a command. `run` answers with what it found wrong, a message each: they are printed, and the exit status is 1.
 * With it end the programs that it started, also after Ctrl-C and SIGTERM.
 */
export const judged =
  <A extends readonly unknown[]>(run: (...given: A) => Promise<readonly string[]>) =>
  async (...given: A): Promise<void> => {
    process.once('exit', cleanUp);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(INTERRUPTED));
    const problems = await run(...given);
    cleanUp();
    if (problems.length === 0) return;
    process.exitCode = 1;
    console.log('PROBLEMS:');
    for (const problem of problems.slice(0, MOST_SHOWN)) console.log(`- ${problem}`);
  };
