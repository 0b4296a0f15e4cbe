import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/operations/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { decodeChaos } from './chaos-plan.js';
import type { Endpoints } from './contract.js';
import type { World } from './world.js';

const noChaos: DeviceError = { _tag: 'NoChaos' };

const some = <A>(what: A | undefined): TE.TaskEither<DeviceError, A> =>
  TE.fromEither(E.fromNullable(noChaos)(what));

/** Faults by chance: a plan that runs, and its actions so far. */
export const chaosHandlers = ({ chaos }: World) =>
  ({
    chaos: () => some(chaos.report),
    schedule: () => some(chaos.schedule),
    startChaos: ({ body }) =>
      pipe(
        decodeChaos(body),
        TE.fromEither,
        TE.chain((plan) => {
          chaos.start(plan);
          return some(chaos.report);
        }),
      ),
    stopChaos: () => some(chaos.stop()),
  }) satisfies Partial<Handlers<Endpoints, DeviceError>>;
