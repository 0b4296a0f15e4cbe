import { clock } from '../clock/index.js';
import { dice } from '../dice/index.js';
import { pixels } from '../pixels/index.js';
import type { Kind } from '../../src/contract/index.js';
import type { DeviceKind } from '../device-kind.js';

/** Kinds of device by the name that the control API gives them. */
export type Kinds = Readonly<Record<string, DeviceKind>>;

/** The kinds that come with airbench. */
export const builtInKinds = { dice, clock, pixels } as const satisfies Kinds &
  Readonly<Record<Kind, DeviceKind>>;

export type BuiltInKind = keyof typeof builtInKinds;
