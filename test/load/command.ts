/** The flags of `npm run load`. */
import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { UnknownRecord } from 'io-ts';
import { decodeChaos } from '../../simulators/control/index.js';
import { integerFlag, switchFlag, textFlag } from '../../src/cli/options/options.js';
import { refuse } from '../../src/cli/options/usage.js';
import { readJson } from '../../src/system/files.js';
import { countFlag, judged, longRun, seedFlag } from '../harness/command.js';
import { findBrowser } from '../support/browser.js';
import type { Load, Plan } from './run.js';

const MAX_SEED = 2 ** 31 - 2;

interface Flags {
  readonly secs: number;
  readonly seed: number | undefined;
  readonly faults: string;
  readonly clients: number;
  readonly fuzz: number;
  readonly pages: boolean;
}

interface Work {
  /** Undefined for a run without clients. */
  readonly load: Load | undefined;
  readonly fuzz: { readonly requests: number; readonly seed: number };
}

/** The plan of faults in a file, with the duration and the seed of the flags. */
const readPlan = ({ faults, secs, seed }: Flags): E.Either<string, Plan> =>
  pipe(
    readJson(faults),
    E.map((json) =>
      UnknownRecord.is(json) ? { ...json, ...(seed !== undefined && { seed }), duration_secs: secs } : json,
    ),
    E.chainFirst((plan) => E.mapLeft(({ message }: { message: string }) => message)(decodeChaos(plan))),
    E.map((plan) => plan as Plan),
  );

/** The number of proxies of each server: half of the proxies in the plan (`proxy-1` and so on). */
const proxiesIn = (plan: Plan): number => {
  const numbers = [...JSON.stringify(plan).matchAll(/"proxy-(\d+)"/g)].map(([, number]) => Number(number));
  return Math.ceil(Math.max(0, ...numbers) / 2);
};

/** `run` resolves with the errors. */
export const loadCommand = (run: (work: Work) => Promise<readonly string[]>): Command => {
  const command = longRun(
    'load',
    'many dice, clocks and clients in a radio full of faults: whether the events are right, and whether anything grows',
  )
    .addOption(countFlag('--secs <number>', 'how long the faults go on', 20, 86_400))
    .addOption(seedFlag(MAX_SEED, 'of the plan; for fuzzing, a random number'))
    .addOption(textFlag('--faults <file>', 'the plan of faults', 'ci/chaos.json'))
    .addOption(
      integerFlag('--clients <number>', 'clients of each server; 0: only --fuzz', { min: 0, max: 500 }, 10),
    )
    .addOption(
      integerFlag(
        '--fuzz <number>',
        'first, this number of valid and invalid requests to both servers and the control API, and of messages to their WebSockets',
        { min: 0, max: 10_000_000 },
        0,
      ),
    )
    .addOption(switchFlag('--pages', 'with the three pages open in Chromium'));
  return command.action((flags: Flags) => {
    const { clients, pages, fuzz, seed = randomInt(MAX_SEED) } = flags;
    const plan = pipe(
      readPlan(flags),
      E.getOrElse((reason): Plan =>
        refuse(command, `option '--faults <file>' is invalid: ${flags.faults}: ${reason}`),
      ),
    );
    if (pages && findBrowser() === undefined)
      refuse(command, 'the pages need Chromium, which is not on the PATH: install it, or omit --pages');
    const load = clients === 0 ? undefined : { plan, clients, pages, proxies: proxiesIn(plan) };
    return judged(run)({ load, fuzz: { requests: fuzz, seed } });
  });
};
