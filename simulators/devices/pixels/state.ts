import type {
  Blink,
  Colorway,
  KnownDieType,
  Notification,
  RollState,
} from '../../../src/protocols/pixels/index.js';
import type { Rgb } from '../../../src/protocols/dice-values.js';
import type { DieBehaviour } from '../any-die/behaviour.js';
import type { ModelContext } from '../any-die/model.js';
import type { Firmware } from './firmware.js';

/** How a roll ends: `tilt` leaning, `move` only moved and not rolled; `none`: without a notification. */
export const ENDINGS = ['stable', 'tilt', 'move', 'none'] as const;
export type Ending = (typeof ENDINGS)[number];

export interface PixelStart {
  readonly type: KnownDieType;
  readonly colorway: Colorway;
  /** At most 31 bytes; empty for none. */
  readonly name: string;
  /** 32 bits, not 0. */
  readonly pixelId: number;
  readonly firmware: Firmware;
  /** Per cent, 0 to 100; at 0 the die works on its charger only. */
  readonly batteryLevel: number;
  readonly charging: boolean;
  readonly faceIndex: number;
  readonly asleep: boolean;
  readonly behaviour: DieBehaviour;
}

export interface PixelState extends PixelStart {
  readonly rollState: RollState;
  readonly rolling: boolean;
  /** The colours of all LEDs at this moment. */
  readonly leds: readonly Rgb[];
  readonly blink: Blink | null;
  /** Writes received so far, by message number. */
  readonly commands: ReadonlyMap<number, number>;
}

export interface PixelContext extends ModelContext<Notification> {
  /** Signal strength of the host, dBm. */
  readonly rssi: () => number;
}

export interface Roll {
  /** The index of the face at the end, and of one that is up on the way. */
  readonly to: number;
  readonly via: number;
  readonly ending: Ending;
  readonly rollMs: number;
}
