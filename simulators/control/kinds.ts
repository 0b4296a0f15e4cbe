import { clock } from '../clock/index.js';
import { dice } from '../dice/index.js';
import type { DeviceKind } from '../device.js';

/** Every kind of device there is, by the name that the control API gives it. */
export const kinds = { dice, clock } as const satisfies Readonly<Record<string, DeviceKind>>;

export type KindName = keyof typeof kinds;
