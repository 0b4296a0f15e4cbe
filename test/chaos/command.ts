/** The flags of `npm run chaos` and `npm run soak`, and the plan that they name. */
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { UnknownRecord } from 'io-ts';
import { decodeChaos, type ChaosPlan } from '../../simulators/control/index.js';
import { integerFlag, optionalTextFlag, switchFlag } from '../../src/cli/options/options.js';
import { refuse } from '../../src/cli/options/usage.js';
import { readJson } from '../../src/system/files.js';
import { findBrowser } from '../support/browser.js';
import { countFlag, judged, longRun, seedFlag } from '../harness/command.js';

interface PlanFlags {
  readonly seed: number | undefined;
  readonly plan: string | undefined;
}

export interface ChaosFlags extends PlanFlags {
  readonly secs: number;
  readonly proxies: number;
}

export interface SoakFlags extends PlanFlags {
  readonly minutes: number;
  readonly pages: boolean;
  readonly prof: boolean;
  readonly heap: boolean;
}

/** A plan, and as `POST /chaos` takes it. */
export interface ChaosBody {
  readonly plan: ChaosPlan;
  readonly body: JsonRecord;
}

const readPlan = (
  file: string,
  seed: number | undefined,
  duration_secs: number,
): E.Either<string, ChaosBody> =>
  pipe(
    readJson(file),
    E.map((json) =>
      UnknownRecord.is(json) ? { ...json, ...(seed === undefined ? {} : { seed }), duration_secs } : json,
    ),
    E.chain((body) =>
      pipe(
        decodeChaos(body),
        E.bimap(
          ({ message }) => message,
          (plan) => ({ plan, body: body as JsonRecord }),
        ),
      ),
    ),
  );

/** `run` carries out the plan; its answer says what was wrong. */
type Run<F> = (chaos: ChaosBody, flags: F) => Promise<readonly string[]>;

const withPlan = <F extends PlanFlags>(
  command: Command,
  secsOf: (flags: F) => number,
  run: Run<F>,
  planOf: (flags: F) => string = () => 'ci/chaos.json',
): Command =>
  command
    .addOption(seedFlag(2 ** 32 - 1, "the plan's"))
    .addOption(optionalTextFlag('--plan <file>', 'the faults; ci/chaos.json unless given'))
    .action((flags: F) => {
      const { plan: file = planOf(flags), seed } = flags;
      const plan = pipe(
        readPlan(file, seed, secsOf(flags)),
        E.getOrElse((reason): ChaosBody =>
          refuse(command, `option '--plan <file>' is invalid: ${file}: ${reason}`),
        ),
      );
      return judged(run)(plan, flags);
    });

/** `npm run chaos`. */
export const chaosCommand = (run: Run<ChaosFlags>): Command =>
  withPlan(
    longRun(
      'chaos',
      'many dice, clocks and clients in a radio full of faults, and whether the events are right',
    )
      .addOption(countFlag('--secs <number>', 'how long the faults go on', 20, 86_400))
      .addOption(
        integerFlag(
          '--proxies <number>',
          'the servers are on so many Bluetooth proxies, with ci/chaos-proxies.json unless --plan names another',
          { min: 0, max: 50 },
          0,
        ),
      ),
    ({ secs }) => secs,
    run,
    ({ proxies }) => (proxies === 0 ? 'ci/chaos.json' : 'ci/chaos-proxies.json'),
  );

/** `npm run soak`. */
export const soakCommand = (run: Run<SoakFlags>): Command =>
  withPlan(
    longRun('soak', 'chaos for long, with a broker and open pages beside it, and whether anything grows')
      .addOption(countFlag('--minutes <number>', 'how long the faults go on', 10, 10_080))
      .option('--no-pages', 'without pages in Chromium')
      .addOption(switchFlag('--prof', 'processor profiles in reports/soak'))
      .addOption(switchFlag('--heap', 'heap profiles in reports/soak')),
    ({ minutes }) => minutes * 60,
    run,
  ).hook('preAction', (command) => {
    if (command.opts<SoakFlags>().pages && findBrowser() === undefined)
      refuse(command, 'the pages need Chromium, which is not on the PATH: install it, or give --no-pages');
  });
