import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { facesOf, type Acceleration, type DiceType } from '../../../src/protocols/dice-values.js';
import { parseError } from '../../../src/codecs/index.js';
import type { Actions } from '../device.js';
import type { DeviceError } from '../device-error.js';
import { commonActionsOn, ROLL_MS, type ActedOn } from '../any-die/actions.js';
import type { ActionCodecs } from './codecs.js';
import type { DieModel } from './model.js';
import { anyFaceOf, measureOn } from './rest.js';

interface Target {
  readonly die?: DiceType;
  readonly face?: number;
  readonly acceleration?: Acceleration;
}

const vectorOf = (
  { die = 'd6', face, acceleration }: Target,
  rng: () => number,
): E.Either<DeviceError, Acceleration> =>
  pipe(
    acceleration ?? measureOn(die, face ?? anyFaceOf(die, rng), rng),
    E.fromNullable(
      parseError(`face of a ${die} must be one of ${facesOf(die).join(', ')}, got ${face ?? 'none'}`),
    ),
  );

/** Left: no such face on the shell, or no host has subscribed. */
export const actionsOn = (actedOn: ActedOn<DieModel>): Actions<ActionCodecs> => {
  const { model, rng } = actedOn;
  return {
    roll: ({ ending = 'stable', roll_ms: rollMs = ROLL_MS, ...target }) =>
      pipe(
        vectorOf(target, rng),
        E.map((to) => model.roll({ to, ending, rollMs })),
      ),
    turn: (target) =>
      pipe(
        vectorOf(target, rng),
        E.map((to) => model.turn(to)),
      ),
    tap: () => model.tap('single'),
    double_tap: () => model.tap('double'),
    ...commonActionsOn(actedOn),
  };
};
