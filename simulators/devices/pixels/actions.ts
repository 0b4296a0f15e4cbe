import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { parseError } from '../../../src/codecs/index.js';
import type { Actions } from '../device.js';
import { shapeOf, type KnownDieType } from '../../../src/protocols/pixels/index.js';
import type { DeviceError } from '../device-error.js';
import { commonActionsOn, ROLL_MS, type ActedOn } from '../any-die/actions.js';
import { wrongFace, type ActionCodecs } from './codecs.js';
import { anyIndexOf, indexOf } from './faces.js';
import { releaseOf } from './firmware.js';
import type { PixelModel } from './model.js';
import type { Ending } from './state.js';

interface Target {
  readonly die?: KnownDieType;
  readonly face?: number;
}

/** Left: the type of another die, a face or ending that this die does not have, or no subscribed host. */
export const actionsOn = (actedOn: ActedOn<PixelModel>): Actions<ActionCodecs> => {
  const { model, rng } = actedOn;

  const target = ({ die, face }: Target): E.Either<DeviceError, number> => {
    const { state } = model;
    if (die !== undefined && shapeOf(die) !== shapeOf(state.type)) {
      return E.left(parseError(`die must be ${state.type}, the type of this die, or left out, got ${die}`));
    }
    if (face === undefined) return E.right(anyIndexOf(state, rng));
    return pipe(indexOf(state, face, rng), E.fromNullable(parseError(wrongFace(state.type, face) ?? '')));
  };

  const possible = (ending: Ending): E.Either<DeviceError, Ending> => {
    const { type, firmware } = model.state;
    return ending !== 'tilt' || releaseOf(firmware).reportsCrooked(type)
      ? E.right(ending)
      : E.left(
          parseError(
            `ending must be stable, move or none, got tilt: a ${type} with firmware ${firmware} does not report that it lies crooked`,
          ),
        );
  };

  return {
    roll: ({ ending = 'stable', roll_ms: rollMs = ROLL_MS, ...to }) =>
      pipe(
        E.Do,
        E.apS('ending', possible(ending)),
        E.bind('to', () => target(to)),
        E.map((movement) => model.roll({ ...movement, via: anyIndexOf(model.state, rng), rollMs })),
      ),
    turn: (to) =>
      pipe(
        target(to),
        E.map((index) => model.turn(index)),
      ),
    ...commonActionsOn(actedOn),
  };
};
