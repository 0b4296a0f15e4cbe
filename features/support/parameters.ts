import type { Maker } from '../actors/makers.js';

/** Where features run: docs/features.md. */
export type BenchName = 'simulated' | 'proxy' | 'attach' | 'bench' | 'physical';

/** The claims that a run decides: all of the contract, or the interface documents alone. */
export const PROFILE_NAMES = ['airbench', 'seed'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** The parameters of a run, as JSON (`configuration.ts`). */
export interface Parameters {
  readonly bench: BenchName;
  readonly profile: ProfileName;
  /** How long a message of the stream may take, milliseconds. */
  readonly patience: number;
  /** The maker of the dice. */
  readonly maker: Maker;
  /** The servers of the bench `attach`, if they are not in a bench file. */
  readonly urls?: { readonly dice?: string; readonly clock?: string; readonly control?: string };
  /** The path of the bench file, absolute. */
  readonly file?: string;
  /** The folder of all reports, absolute. */
  readonly reports: string;
  /** The folder to which the run writes until its end, absolute. */
  readonly run: string;
  /** The arguments that narrow the run; empty for all scenarios of the profile. */
  readonly selection: readonly string[];
  /** The start of the interrupted run that this one continues, in milliseconds since 1970. */
  readonly continues?: number;
}
