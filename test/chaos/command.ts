/** The flags of `npm run chaos`, and the plan that they name. */
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { UnknownRecord } from 'io-ts';
import { decodeChaos, type ChaosPlan } from '../../simulators/control/index.js';
import { integerFlag, textFlag } from '../../src/cli/options.js';
import { endOnMisuse, refuse } from '../../src/cli/usage.js';
import { readJson } from '../../src/files.js';

interface Flags {
  readonly secs: number;
  readonly seed: number | undefined;
  readonly plan: string;
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

/** `npm run chaos`: what is done with the plan is for `run` to say. */
export const chaosCommand = (run: (chaos: ChaosBody) => Promise<void>): Command => {
  const command = endOnMisuse(new Command('npm run chaos --'));
  return command
    .description('many dice, clocks and clients in a radio full of faults, and whether the events are right')
    .addOption(integerFlag('--secs <number>', 'how long the faults go on', { min: 1, max: 86_400 }, 20))
    .addOption(
      integerFlag(
        '--seed <number>',
        "another seed than the plan's",
        { min: 0, max: 2 ** 32 - 1 },
        undefined,
        "the plan's",
      ),
    )
    .addOption(textFlag('--plan <file>', 'the faults', 'ci/chaos.json'))
    .action(async ({ plan: file, seed, secs }: Flags) => {
      const plan = pipe(
        readPlan(file, seed, secs),
        E.getOrElse((why): ChaosBody =>
          refuse(command, `option '--plan <file>' is invalid: ${file}: ${why}`),
        ),
      );
      await run(plan);
    });
};
