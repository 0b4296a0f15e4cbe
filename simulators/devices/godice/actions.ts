import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { facesOf, type Acceleration, type DiceType } from '../../../src/protocols/dice-values.js';
import { parseError } from '../../../src/codecs/index.js';
import type { Actions } from '../device.js';
import type { DeviceError } from '../device-error.js';
import { commonActionsOn, ROLL_MS, type ActedOn } from '../any-die/actions.js';
import type { ActionCodecs } from './codecs.js';
import type { DieModel } from './model.js';
import { vectorFor } from '../../../src/protocols/godice/index.js';

/** The largest deviation of a measurement from the table, counts; too small to change the face on any shell (§5.2). */
const JITTER = 3;

/** The acceleration of a die that lies on `face`, a few counts of noise included; undefined if the shell has no such face. */
export const measureOn = (shell: DiceType, face: number, rng: () => number): Acceleration | undefined => {
  const vector = vectorFor(shell, face);
  const noise = (): number => Math.floor(rng() * (2 * JITTER + 1)) - JITTER;
  return vector && { x: vector.x + noise(), y: vector.y + noise(), z: vector.z + noise() };
};

/** A random face of the shell, all equally likely. */
export const anyFaceOf = (shell: DiceType, rng: () => number): number => {
  const faces = facesOf(shell);
  return faces[Math.floor(rng() * faces.length)] ?? 0;
};

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
