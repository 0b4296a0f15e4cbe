import type { DiceType } from '../../src/dice/contract.js';
import type { Device } from '../actors/actions.js';

/** A die of a scenario. */
export interface Die extends Device {
  readonly kind: 'dice';
  readonly name: string;
  /** The shell it is in; undefined: whichever it is to be. */
  readonly shell: DiceType | undefined;
  /** Once it was connected. */
  session: string | undefined;
  type: DiceType;
}

/** A clock of a scenario. */
export interface Clock extends Device {
  readonly kind: 'clock';
}
