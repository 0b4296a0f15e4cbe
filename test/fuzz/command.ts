/** The flags of `npm run fuzz`. */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { integerFlag } from '../../src/cli/options/options.js';
import { endOnMisuse } from '../../src/cli/options/usage.js';
import type { Amount } from './fuzz.js';

const MAX_SEED = 2 ** 31 - 2;
const COUNT = { min: 1, max: 10_000_000 };

interface Flags {
  readonly requests: number;
  readonly messages: number;
  readonly seed: number | undefined;
}

export const fuzzCommand = (run: (amount: Amount) => Promise<void>): Command =>
  endOnMisuse(new Command('npm run fuzz --'))
    .description('sends both servers and the control API what they should and should not understand')
    .addOption(integerFlag('--requests <number>', 'requests to each', COUNT, 10_000))
    .addOption(integerFlag('--messages <number>', 'messages to each WebSocket', COUNT, 10_000))
    .addOption(
      integerFlag(
        '--seed <number>',
        'what chance begins with, to do the same again',
        { min: 0, max: MAX_SEED },
        undefined,
        'another each time',
      ),
    )
    .action(({ requests, messages, seed = randomInt(MAX_SEED) }: Flags) => run({ requests, messages, seed }));
