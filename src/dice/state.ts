/** What is known of a die, and how its reports change that. */
import type { DiceEvent } from './contract.js';
import type { DieDriver, Report, Rest } from './port/driver.js';
import type { Acceleration, DiceType, DieColour } from './port/values.js';

/** How a die moves or lies: the acceleration of its last rest is null while it moves, and where none is known. */
export interface Motion {
  readonly rolling: boolean;
  readonly acceleration: Acceleration | null;
}

/** Null is what is not known. */
export interface DieState {
  readonly driver: DieDriver;
  readonly diceType: DiceType;
  /** Added to a measured acceleration before its face is looked up, counts. */
  readonly offset: Acceleration;
  readonly name: string | null;
  /** Per cent. */
  readonly battery: number | null;
  readonly colour: DieColour | null;
  readonly charging: boolean | null;
  /** dBm. */
  readonly rssi: number | null;
  readonly rolling: boolean;
  /** Null while the die moves. */
  readonly rest: Rest | null;
  /** What clients knew before the link was lost, until the die reports a roll or a rest again. */
  readonly beforeLoss: Motion | null;
}

const noOffset: Acceleration = { x: 0, y: 0, z: 0 };

export const initialState = (
  driver: DieDriver,
  diceType: DiceType,
  name: string | null,
  rssi: number | null,
): DieState => ({
  driver,
  diceType,
  offset: noOffset,
  name,
  battery: null,
  colour: name === null ? null : driver.colourIn(name),
  charging: null,
  rssi,
  rolling: false,
  rest: null,
  beforeLoss: null,
});

const saturated = (value: number): number => Math.min(127, Math.max(-128, value));

const corrected = (offset: Acceleration, { x, y, z }: Acceleration): Acceleration => ({
  x: saturated(x + offset.x),
  y: saturated(y + offset.y),
  z: saturated(z + offset.z),
});

const faceFor = ({ driver, diceType, offset }: DieState, acceleration: Acceleration): number =>
  driver.faceOf(diceType, corrected(offset, acceleration));

/** The face that is up; null while the die moves or nothing is known. */
export const faceUp = (state: DieState): number | null =>
  state.rest === null ? null : faceFor(state, state.rest.acceleration);

/** The measured acceleration of a die that lies still on a face; null if it moves or leans. */
export const lyingStill = ({ rest }: DieState): Acceleration | null =>
  rest?._tag === 'Stable' || rest?._tag === 'MoveStable' ? rest.acceleration : null;

/** The same die in another shell; the offset belonged to the old one. */
export const withDiceType = (state: DieState, diceType: DiceType): DieState =>
  state.diceType === diceType ? state : { ...state, diceType, offset: noOffset };

/** Sets the offset so that `measured` becomes `level`, what the die measures on its face if it lies level. */
export const calibrated = (state: DieState, measured: Acceleration, level: Acceleration): DieState => ({
  ...state,
  offset: { x: level.x - measured.x, y: level.y - measured.y, z: level.z - measured.z },
});

const withMotion = (state: DieState, rolling: boolean, rest: Rest | null): DieState => ({
  ...state,
  ...{ rolling, rest, beforeLoss: null },
});

/** What clients know of the motion of a die; during a link loss, what they knew before it. */
export const knownMotion = ({ rolling, rest, beforeLoss }: DieState): Motion | null =>
  rolling || rest !== null ? { rolling, acceleration: rest?.acceleration ?? null } : beforeLoss;

/** A die whose link is lost: it is unknown whether it moves, and on which face it lies. */
export const withoutLink = (state: DieState): DieState => ({
  ...withMotion(state, false, null),
  beforeLoss: knownMotion(state),
});

/**
 * Whether the rest that led from `before` to `after` ends a roll that clients saw begin before the link was lost, or is on
 * another face than the one they knew.
 */
export const happenedDuringLoss = ({ beforeLoss }: DieState, after: DieState): boolean => {
  if (beforeLoss === null || after.rest === null) return false;
  const { rolling, acceleration } = beforeLoss;
  return rolling || (acceleration !== null && faceFor(after, acceleration) !== faceUp(after));
};

/** The state after a report, and the event that clients get of it, if any. */
export const applyReport = (state: DieState, report: Report): readonly [DieState, DiceEvent | null] => {
  switch (report._tag) {
    case 'RollStart':
      return [withMotion(state, true, null), { kind: 'RollStart' }];
    case 'Stable':
    case 'FakeStable':
    case 'TiltStable':
    case 'MoveStable': {
      const { _tag: kind, acceleration } = report;
      return [withMotion(state, false, report), { kind, face: faceFor(state, acceleration), acceleration }];
    }
    case 'Battery':
      return [
        { ...state, battery: report.level },
        { kind: 'BatteryLevel', level: report.level },
      ];
    case 'Charging':
      return [
        { ...state, charging: report.on },
        { kind: 'Charging', charging: report.on },
      ];
    case 'Colour':
      return [{ ...state, colour: report.colour }, null];
    case 'Tap':
    case 'DoubleTap':
      return [state, { kind: report._tag }];
  }
};
