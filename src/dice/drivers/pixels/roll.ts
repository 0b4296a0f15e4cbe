/** Rolls: the events of all dice in the roll states of a Pixels die (docs/pixels-protocol.md §4). */
import type { Received, Report } from '../../port/driver.js';
import { faceOf, guessType, type Identity, type RollState } from './protocol/index.js';

/** How a die said that it moves or lies. */
export interface Told {
  readonly state: RollState;
  readonly face: number;
}

/** Dice with six LEDs and an older build say `crooked` where they lie flat. */
const CROOKED_MENDED = new Date('2024-05-22T13:00:00Z');

/** Null: its type has no such face. */
export const toldBy = (
  { dieType, ledCount, builtAt }: Pick<Identity, 'dieType' | 'ledCount' | 'builtAt'>,
  { state, faceIndex }: { readonly state: RollState; readonly faceIndex: number },
): Told | null => {
  const face = faceOf(guessType(dieType, ledCount), faceIndex, builtAt);
  if (face === undefined) return null;
  const isFlat = state === 'crooked' && ledCount === 6 && builtAt < CROOKED_MENDED;
  return { state: isFlat ? 'rolled' : state, face };
};

const happened = (report: Report): Received => ({ report, makesEvent: true });
const isSo = (report: Report): Received => ({ report, makesEvent: false });

/** How a die is when it says so for the first time. */
const first = ({ state, face }: Told): Received | null => {
  switch (state) {
    case 'rolling':
      return isSo({ _tag: 'RollStart' });
    case 'rolled':
    case 'onFace':
      return isSo({ _tag: 'Stable', face });
    case 'crooked':
      return isSo({ _tag: 'TiltStable', face });
    case 'handling':
    case 'unknown':
      return null;
  }
};

const atRest = ({ state }: Told): boolean => state === 'rolled' || state === 'onFace';

/**
 * The report of a die that says how it is, after what it said before. A roll is a state `rolling`, which comes again with
 * each face that passes, and `rolled` directly after it; another way onto a face is a move.
 */
export const reportOf = (before: Told | null, now: Told): Received | null => {
  if (before === null) return first(now);
  const { state, face } = now;
  const isOther = face !== before.face;
  switch (state) {
    case 'rolling':
      return before.state === 'rolling' ? null : happened({ _tag: 'RollStart' });
    case 'rolled':
    case 'onFace':
      if (before.state === 'rolling') return happened({ _tag: 'Stable', face });
      return isOther || !atRest(before) ? happened({ _tag: 'MoveStable', face }) : null;
    case 'crooked':
      return isOther || before.state !== 'crooked' ? happened({ _tag: 'TiltStable', face }) : null;
    case 'handling':
    case 'unknown':
      return null;
  }
};
