import type { Cancel } from '../../../src/async/time.js';
import type { Named } from '../medium/hooks.js';

/** A Bluetooth proxy with its faults, each until it is cancelled. It has the name and the address of its adapter. */
export interface FaultyProxy extends Named {
  /** Devices of others have this many slots. */
  takeSlots(slots: number): Cancel;
  /** Resets the connections of its clients. */
  cut(): void;
  /** Everything between it and its clients takes `delay` more, ms. */
  slowDown(delay: () => number): Cancel;
  /** Nothing passes between it and its clients; it comes later. */
  stall(): Cancel;
  /** It passes no advertisement on. */
  deafen(): Cancel;
  /** Links of a client that is gone stay. */
  keepLinks(): Cancel;
  /** It has an encryption key that nobody knows. */
  replaceKey(): Cancel;
  /** It has no power. */
  powerDown(): Cancel;
}
