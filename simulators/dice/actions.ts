import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { facesOf, type Acceleration, type DiceType } from '../../src/dice/protocol/index.js';
import { notConnected, parseError, type ServerError } from '../../src/http/index.js';
import type { Action } from './codecs.js';
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
): E.Either<ServerError, Acceleration> =>
  pipe(
    acceleration ?? measureOn(die, face ?? anyFaceOf(die, rng), rng),
    E.fromNullable(
      parseError(`face of a ${die} must be one of ${facesOf(die).join(', ')}, got ${face ?? 'none'}`),
    ),
  );

/** What an action needs of the die. */
export interface ActedOn {
  readonly model: DieModel;
  readonly rng: () => number;
  /** Sends raw bytes; false if nobody has subscribed. */
  readonly send: (value: Buffer) => boolean;
}

const done: E.Either<ServerError, void> = E.right(undefined);

/** Does an action. Left: no such face on the shell, or nobody to notify. */
export const perform = (action: Action, { model, rng, send }: ActedOn): E.Either<ServerError, void> => {
  switch (action.type) {
    case 'roll': {
      const { ending = 'stable', roll_ms: rollMs = ROLL_MS } = action;
      return pipe(
        vectorOf(action, rng),
        E.map((to) => model.roll({ to, ending, rollMs })),
      );
    }
    case 'turn':
      return pipe(
        vectorOf(action, rng),
        E.map((to) => model.turn(to)),
      );
    case 'tap':
      model.tap('single');
      return done;
    case 'double_tap':
      model.tap('double');
      return done;
    case 'charge':
      model.charge(action.on);
      return done;
    case 'battery':
      model.setBattery(action.level);
      return done;
    case 'sleep':
      model.sleep();
      return done;
    case 'wake':
      model.wake();
      return done;
    case 'notify':
      return send(Buffer.from(action.hex, 'hex'))
        ? done
        : E.left(notConnected('not_subscribed', 'nobody has subscribed to the notifications of this die'));
  }
};
