/** A colour of an LED, each component 0 to 255. */
export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/**
 * How a pulse shows its colour: `parallel` as it is, at each blink; `oneByOne` its red, green and blue components
 * in turn. In the order of their codes (docs/godice-protocol.md §3.1).
 */
export const PULSE_MODES = ['oneByOne', 'parallel'] as const;
export type PulseMode = (typeof PULSE_MODES)[number];

/** Which LEDs a pulse uses, in the order of their codes (docs/godice-protocol.md §3.1). */
export const LED_SELECTORS = ['both', 'led1', 'led2'] as const;
export type LedSelector = (typeof LED_SELECTORS)[number];

/** The `count` of a pulse that never ends by itself. */
export const ENDLESS = 255;

/** A blink pattern. Times are milliseconds, 0 to 2550, in steps of 10 on the wire. */
export interface Pulse {
  /** Blinks, 0 to 255; `ENDLESS` goes on until stopped. */
  readonly count: number;
  readonly onMs: number;
  readonly offMs: number;
  readonly colour: Rgb;
  readonly mode: PulseMode;
  readonly leds: LedSelector;
}

/** When the die takes a movement for a roll; bytes, of which only the degrees have a known unit (§3.3). */
export interface Detection {
  readonly samples: number;
  readonly movements: number;
  readonly faces: number;
  readonly minFlatDegrees: number;
  readonly maxFlatDegrees: number;
  readonly weakStable: number;
  readonly movementDegrees: number;
  readonly rollThreshold: number;
}

/** Host to die, one per opcode (docs/godice-protocol.md §3). */
export type Command =
  | { readonly _tag: 'Battery' }
  | { readonly _tag: 'Sensitivity'; readonly sensitivity: number }
  /** Both LEDs, constant; all zero is dark. */
  | { readonly _tag: 'Leds'; readonly led1: Rgb; readonly led2: Rgb }
  | ({ readonly _tag: 'Pulse' } & Pulse)
  /** Only in one third-party client; dice stay silent. */
  | { readonly _tag: 'Calibrate' }
  /** Darkens the LEDs, whatever lit them. */
  | { readonly _tag: 'StopLeds' }
  | { readonly _tag: 'Colour' }
  | { readonly _tag: 'Initialise'; readonly sensitivity: number; readonly pulse: Pulse }
  /** The opcode alone; dice answer it with the same burst. */
  | { readonly _tag: 'InitialiseBare' }
  | { readonly _tag: 'SingleTap'; readonly on: boolean }
  | { readonly _tag: 'DoubleTap'; readonly on: boolean }
  | { readonly _tag: 'Detection'; readonly settings: Detection };

export const DEFAULT_SENSITIVITY = 30;

/** What a host sends first (docs/godice-protocol.md §3.2): three green blinks, half a second on and off, both LEDs. */
export const DEFAULT_INITIALISE = {
  _tag: 'Initialise',
  sensitivity: DEFAULT_SENSITIVITY,
  pulse: {
    count: 3,
    onMs: 500,
    offMs: 500,
    colour: { r: 0, g: 255, b: 0 },
    mode: 'parallel',
    leds: 'both',
  },
} as const satisfies Command;

/** The vendor C API's detection settings (docs/godice-protocol.md §3.3). */
export const DEFAULT_DETECTION: Detection = {
  samples: 4,
  movements: 2,
  faces: 1,
  minFlatDegrees: 10,
  maxFlatDegrees: 54,
  weakStable: 20,
  movementDegrees: 50,
  rollThreshold: 30,
};
