import { clock } from '../devices/cgd1/kind.js';
import { dice } from '../devices/godice/kind.js';
import { gatt } from '../devices/described/index.js';
import { pixels } from '../devices/pixels/kind.js';
import type { Kind } from '../../src/contract/index.js';
import type { DeviceKind } from '../devices/device-kind.js';

/** Kinds of device by the name that the control API gives them. */
export type Kinds = Readonly<Record<string, DeviceKind>>;

interface Counted extends DeviceKind {
  /** The server that its devices are for. */
  readonly server: Kind;
  /** Several of them: the flag for their number. */
  readonly plural: string;
  /** Several of them, in texts. */
  readonly title: string;
  /** The number of devices in a default world. */
  readonly usualCount: number;
}

/** The kinds whose devices are all alike at the start: a number is enough to have some. */
export const countedKinds = {
  dice: { ...dice, server: 'dice', plural: 'dice', title: 'GoDice', usualCount: 3 },
  clock: { ...clock, server: 'clock', plural: 'clocks', title: 'CGD1 clocks', usualCount: 3 },
  pixels: { ...pixels, server: 'dice', plural: 'pixels', title: 'Pixels dice', usualCount: 0 },
} as const satisfies Readonly<Record<string, Counted>>;

export const builtInKinds = { ...countedKinds, gatt } as const satisfies Kinds;

export type CountedKind = keyof typeof countedKinds;

export const isCounted = (kind: string): kind is CountedKind => Object.hasOwn(countedKinds, kind);
