import type { DieColour } from './name.js';

/** Acceleration in counts, about 64 for 1 g; each axis a signed byte, -128 to 127 (docs/godice-protocol.md §4). */
export interface Acceleration {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The four ways in which a die comes to rest (docs/godice-protocol.md §6). */
export type RestTag = 'Stable' | 'FakeStable' | 'TiltStable' | 'MoveStable';

/** Die to host (docs/godice-protocol.md §4). */
export type Notification =
  | { readonly _tag: 'RollStart' }
  | { readonly _tag: RestTag; readonly acceleration: Acceleration }
  /** Per cent, 0 to 100. */
  | { readonly _tag: 'Battery'; readonly level: number }
  | { readonly _tag: 'Colour'; readonly colour: DieColour }
  | { readonly _tag: 'Charging'; readonly on: boolean }
  | { readonly _tag: 'Tap' }
  | { readonly _tag: 'DoubleTap' }
  /** One third-party client reads it; `status` is a byte without a known meaning. */
  | { readonly _tag: 'Calibration'; readonly status: number };
