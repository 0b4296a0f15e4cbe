import type { AnyDiceType } from '../../src/dice/contract.js';
import type { MAKERS, Maker } from '../actors/makers.js';
import type { Device } from '../actors/actions.js';

/** A die of a scenario. */
export interface Die extends Device {
  readonly kind: (typeof MAKERS)[Maker];
  readonly name: string;
  /** The shell of the die. Undefined: its actor puts it into the shell that a step needs. */
  readonly shell: AnyDiceType | undefined;
  /** The session of the last connect. */
  session: string | undefined;
  type: AnyDiceType;
}

/** A clock of a scenario. */
export interface Clock extends Device {
  readonly kind: 'clock';
}
