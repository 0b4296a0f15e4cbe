import type {
  Acceleration,
  Detection,
  DieColour,
  Notification,
  Pulse,
} from '../../../src/protocols/godice/index.js';
import type { Rgb, ROLL_ENDINGS } from '../../../src/protocols/dice-values.js';
import type { DieBehaviour } from '../any-die/behaviour.js';
import type { ModelContext } from '../any-die/model.js';

/** How a die comes to rest; `none`: without a notification. */
export type Ending = (typeof ROLL_ENDINGS)[number];

export interface DieStart {
  readonly colour: DieColour;
  /** Per cent, 0 to 100; at 0 the die is dead. */
  readonly batteryLevel: number;
  readonly charging: boolean;
  /** Its acceleration at rest, counts. */
  readonly resting: Acceleration;
  readonly asleep: boolean;
  readonly behaviour: DieBehaviour;
}

export interface DieState extends DieStart {
  readonly rolling: boolean;
  readonly leds: readonly [Rgb, Rgb];
  readonly pulse: Pulse | null;
  readonly taps: { readonly single: boolean; readonly double: boolean };
  readonly sensitivity: number;
  readonly detection: Detection;
  /** Writes received so far, by opcode. */
  readonly commands: ReadonlyMap<number, number>;
}

export type DieContext = ModelContext<Notification>;

export interface Roll {
  /** The acceleration at the end. */
  readonly to: Acceleration;
  readonly ending: Ending;
  readonly rollMs: number;
}
