import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { facesOf, type Acceleration, type DiceType } from '../../src/dice/port/values.js';
import { parseError } from '../../src/codecs/index.js';
import type { Actions } from '../device.js';
import { actionFailed, type DeviceError } from '../device-error.js';
import type { ActionCodecs } from './codecs.js';
import type { DieModel } from './model.js';
import { anyFaceOf, measureOn } from './rest.js';

/** About what the vendor's own die simulator takes (docs/godice-protocol.md §6). */
const ROLL_MS = 1000;

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

/** What actions need of the die. */
export interface ActedOn {
  readonly model: DieModel;
  readonly rng: () => number;
  /** Sends raw bytes; false if no host has subscribed. */
  readonly send: (value: Buffer) => boolean;
}

/** Left: no such face on the shell, or no host has subscribed. */
export const actionsOn = ({ model, rng, send }: ActedOn): Actions<ActionCodecs> => ({
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
  charge: ({ on }) => model.charge(on),
  battery: ({ level }) => model.setBattery(level),
  sleep: () => model.sleep(),
  wake: () => model.wake(),
  notify: ({ hex }) => {
    if (send(Buffer.from(hex, 'hex'))) return;
    return E.left(actionFailed('not_subscribed', 'no host has subscribed to the notifications of this die'));
  },
});
