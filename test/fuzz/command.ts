/** The flags of `npm run fuzz`. */
import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { countFlag, judged, longRun, seedFlag } from '../harness/command.js';
import type { Amount } from './fuzz.js';

const MAX_SEED = 2 ** 31 - 2;

interface Flags {
  readonly requests: number;
  readonly messages: number;
  readonly seed: number | undefined;
}

/** `run` answers with what was wrong. */
export const fuzzCommand = (run: (amount: Amount) => Promise<readonly string[]>): Command =>
  longRun('fuzz', 'sends both servers and the control API what they should and should not understand')
    .addOption(countFlag('--requests <number>', 'requests to each', 10_000))
    .addOption(countFlag('--messages <number>', 'messages to each WebSocket', 10_000))
    .addOption(seedFlag(MAX_SEED, 'another each time'))
    .action(
      judged(({ requests, messages, seed = randomInt(MAX_SEED) }: Flags) =>
        run({ requests, messages, seed }),
      ),
    );
