/** Values that dice of all makers share: the contract, the sessions and the drivers use them. */

/** The shells of dice; clients name the shell of a die that does not report its type. */
export const DICE_TYPES = ['d6', 'd20', 'd10', 'd10x', 'd4', 'd8', 'd12'] as const;
export type DiceType = (typeof DICE_TYPES)[number];

/** All types of dice: the shells, and types that only dice themselves report. */
export const ALL_DICE_TYPES = [...DICE_TYPES, 'fudge'] as const;
export type AnyDiceType = (typeof ALL_DICE_TYPES)[number];

const count = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const faces: Readonly<Record<AnyDiceType, readonly number[]>> = {
  d6: count(1, 6),
  d20: count(1, 20),
  d10: count(0, 9),
  d10x: count(0, 9).map((tens) => tens * 10),
  d4: count(1, 4),
  d8: count(1, 8),
  d12: count(1, 12),
  fudge: count(-1, 1),
};

/** All faces of a shell, each once, in rising order. */
export const facesOf = (diceType: AnyDiceType): readonly number[] => faces[diceType];

/** The colours of bodies: GoDice colours, then the colourways of Pixels. */
export const DIE_COLOURS = [
  ...(['black', 'red', 'green', 'blue', 'yellow', 'orange'] as const),
  ...(['onyx_black', 'hematite_grey', 'midnight_galaxy', 'aurora_sky', 'clear', 'white_aurora'] as const),
  'custom',
] as const;
export type DieColour = (typeof DIE_COLOURS)[number];

/** How a die comes to rest. */
export const RESTS = ['Stable', 'TiltStable', 'FakeStable', 'MoveStable'] as const;
export type RestTag = (typeof RESTS)[number];

/** How a simulated die ends a roll; `none`: without a report. */
export const ROLL_ENDINGS = ['stable', 'tilt', 'fake', 'move', 'none'] as const;

export const TAPS = ['Tap', 'DoubleTap'] as const;

/** Counts of each axis, 64 for 1 g; -128 to 127. */
export interface Acceleration {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A colour of an LED, each component 0 to 255. */
export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** The LEDs of a die that can have different colours, by their names in requests. */
export const LEDS = ['led1', 'led2'] as const;
export type Led = (typeof LEDS)[number];
export type Leds = Readonly<Record<Led, Rgb>>;

/** Requests and LEDs that dice of some makers lack. */
export const CAPABILITIES = [...LEDS, 'pulse', 'taps', 'calibrate'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const LED_SELECTORS = ['both', ...LEDS] as const;

/** The count of a pulse that continues until the LEDs are set. */
export const ENDLESS = 255;

/** A blink pattern. Times are milliseconds, 0 to 2550, in steps of 10. */
export interface Pulse {
  /** Blinks, or `ENDLESS`. */
  readonly count: number;
  readonly onMs: number;
  readonly offMs: number;
  readonly colour: Rgb;
  readonly leds: (typeof LED_SELECTORS)[number];
}

/** The kinds of taps that a die reports. */
export interface Taps {
  readonly single: boolean;
  readonly double: boolean;
}
