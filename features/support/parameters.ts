import type { Maker } from '../actors/makers.js';

/** The parameters of a run (`cucumber.mjs`). */
export interface Parameters {
  readonly profile: string;
  /** How long a message of the stream may take, milliseconds. */
  readonly patience: number;
  /** The maker of the dice. */
  readonly maker: Maker;
}
