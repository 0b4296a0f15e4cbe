/** The state of a die, and its changes by reports. */
import * as E from 'fp-ts/lib/Either.js';
import type { Advertisement } from '../ble/ports.js';
import type { DeviceError } from '../devices/device-error.js';
import type { DiceEvent } from './contract.js';
import type { Die, DieDriver, Measuring, Position, Report, Rest } from './port/driver.js';
import type { Acceleration, AnyDiceType, DiceType, DieColour } from '../protocols/dice-values.js';

/** The motion of a die; `position`: of its last rest, null while it moves or if it is not known. */
interface Motion {
  readonly rolling: boolean;
  readonly position: Position | null;
}

/** The shell that clients name for a die that does not report its type. */
interface Shell {
  readonly diceType: DiceType;
  /** Counts that are added to a measured acceleration before its face is determined. */
  readonly offset: Acceleration;
}

/** The type that a die reports, or the shell that clients name and its faces. */
type Type = AnyDiceType | (Shell & Measuring);

/** The state of a die; null: not known. */
export interface DieState {
  readonly driver: DieDriver;
  readonly type: Type;
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
  /** The motion that clients received before the loss of the link, until the die reports a roll or a rest again. */
  readonly beforeLoss: Motion | null;
}

export const noOffset: Acceleration = { x: 0, y: 0, z: 0 };

export const initialState = (
  driver: DieDriver,
  { type }: Pick<Die, 'type'>,
  shell: Shell,
  found: Advertisement,
): DieState => ({
  driver,
  type: typeof type === 'string' ? type : { ...type, ...shell },
  name: found.name,
  battery: null,
  colour: driver.advertised(found).color,
  charging: null,
  rssi: found.rssi,
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

/** The type that a die reports or its clients name. */
export const diceTypeOf = ({ type }: DieState): AnyDiceType =>
  typeof type === 'string' ? type : type.diceType;

const faceFor = ({ type }: DieState, position: Position): number | null => {
  if ('face' in position) return position.face;
  if (typeof type === 'string') return null;
  return type.faceOf(type.diceType, corrected(type.offset, position.acceleration));
};

/** The face that is up; null: the die moves, or its face is not known. */
export const faceUp = (state: DieState): number | null => state.rest && faceFor(state, state.rest);

/** The calibration of a die that lies level: its face, and the offset with which it would measure this face exactly. */
export interface Calibration {
  readonly face: number;
  readonly offset: Acceleration;
}

/** The calibration by the last rest; null: the die moves or leans, or reports its type. */
export const calibrationOf = ({ type, rest }: DieState): Calibration | null => {
  if (typeof type === 'string' || rest === null || !('acceleration' in rest)) return null;
  if (rest._tag !== 'Stable' && rest._tag !== 'MoveStable') return null;
  const { diceType, faceOf, levelOn } = type;
  const { acceleration } = rest;
  const level = levelOn(diceType, acceleration);
  const { x, y, z } = acceleration;
  return { face: faceOf(diceType, acceleration), offset: { x: level.x - x, y: level.y - y, z: level.z - z } };
};

export const calibrated = (state: DieState, { offset }: Calibration): DieState =>
  typeof state.type === 'string' ? state : { ...state, type: { ...state.type, offset } };

/** The same die in another shell, without the offset of the old shell. Left: the die reports another type. */
export const withDiceType = (state: DieState, diceType: DiceType): E.Either<DeviceError, DieState> => {
  const { type } = state;
  if (diceTypeOf(state) === diceType) return E.right(state);
  return typeof type === 'string'
    ? E.left({ _tag: 'WrongDiceType', requested: diceType, actual: type })
    : E.right({ ...state, type: { ...type, diceType, offset: noOffset } });
};

const withMotion = (state: DieState, rolling: boolean, rest: Rest | null): DieState => ({
  ...state,
  ...{ rolling, rest, beforeLoss: null },
});

const positionOf = (rest: Rest): Position =>
  'face' in rest ? { face: rest.face } : { acceleration: rest.acceleration };

/** The motion that clients received last. */
const knownMotion = ({ rolling, rest, beforeLoss }: DieState): Motion | null =>
  rolling || rest !== null ? { rolling, position: rest && positionOf(rest) } : beforeLoss;

/** The state of a die whose link is lost: its motion and its face are unknown. */
export const withoutLink = (state: DieState): DieState => ({
  ...withMotion(state, false, null),
  beforeLoss: knownMotion(state),
});

/**
 * Whether the change to `after` happened while the link was lost: a rest after a roll that began before the loss, a rest on
 * another face than before the loss, or a roll that began during the loss.
 */
export const happenedDuringLoss = ({ beforeLoss }: DieState, after: DieState): boolean => {
  if (beforeLoss === null) return false;
  const { rolling, position } = beforeLoss;
  if (after.rest === null) return after.rolling && !rolling;
  return rolling || (position !== null && faceFor(after, position) !== faceUp(after));
};

/** The state after a report, and the event for clients, if there is one. */
export const applyReport = (state: DieState, report: Report): readonly [DieState, DiceEvent | null] => {
  switch (report._tag) {
    case 'RollStart':
      return [withMotion(state, true, null), { kind: 'RollStart' }];
    case 'Stable':
    case 'FakeStable':
    case 'TiltStable':
    case 'MoveStable': {
      const face = faceFor(state, report);
      const acceleration = 'acceleration' in report ? report.acceleration : null;
      return [
        withMotion(state, false, report),
        face === null ? null : { kind: report._tag, face, acceleration },
      ];
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
