/** Rolls and rests in the terms of all makers, from the roll states of a Pixels die (docs/pixels-protocol.md §4). */
import type { Received, Report } from '../../port/driver.js';
import { faceOf, guessType, type Identity, type RollState } from '../../../protocols/pixels/index.js';

/** A reported roll state of a die, and its face. */
export interface Posture {
  readonly state: RollState;
  readonly face: number;
}

/** The first build that does not report `crooked` for dice with six LEDs that lie flat. */
const CROOKED_MENDED = new Date('2024-05-22T13:00:00Z');

/** The posture in a notification. Null: the type of the die has no such face. */
export const postureIn = (
  { dieType, ledCount, builtAt }: Pick<Identity, 'dieType' | 'ledCount' | 'builtAt'>,
  { state, faceIndex }: { readonly state: RollState; readonly faceIndex: number },
): Posture | null => {
  const face = faceOf(guessType(dieType, ledCount), faceIndex, builtAt);
  if (face === undefined) return null;
  const isFlat = state === 'crooked' && ledCount === 6 && builtAt < CROOKED_MENDED;
  return { state: isFlat ? 'rolled' : state, face };
};

const happened = (report: Report): Received => ({ report, makesEvent: true });
const current = (report: Report): Received => ({ report, makesEvent: false });

/** The ending of a roll in each state of rest. */
const endings: Readonly<Partial<Record<RollState, 'Stable' | 'TiltStable'>>> = {
  rolled: 'Stable',
  onFace: 'Stable',
  crooked: 'TiltStable',
};

/** The report of the first posture of a die. */
const first = ({ state, face }: Posture): Received | null => {
  if (state === 'rolling') return current({ _tag: 'RollStart' });
  const ending = endings[state];
  return ending === undefined ? null : current({ _tag: ending, face });
};

/**
 * The report of a posture after another. A roll is a state `rolling`, which a die repeats with each face that passes, and a
 * rest directly after it; a rest after any other state is a move.
 */
export const reportOf = (before: Posture | null, { state, face }: Posture): Received | null => {
  if (before === null) return first({ state, face });
  const wasRolling = before.state === 'rolling';
  if (state === 'rolling') return wasRolling ? null : happened({ _tag: 'RollStart' });
  const ending = endings[state];
  if (ending === undefined) return null;
  if (wasRolling) return happened({ _tag: ending, face });
  const isSame = face === before.face && ending === endings[before.state];
  return isSame ? null : happened({ _tag: 'MoveStable', face });
};
