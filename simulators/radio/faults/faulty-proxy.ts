import type { Cancel } from '../../../src/async/time.js';
import type { Named } from '../medium/hooks.js';

/** A Bluetooth proxy with its faults, each until it is cancelled; with the name and the address of its adapter. */
export interface FaultyProxy extends Named {
  /** Devices of other clients occupy `slots` slots. */
  takeSlots(slots: number): Cancel;
  /** Resets the connections of its clients. */
  cut(): void;
  /** Everything between the proxy and its clients takes `delay` ms longer. */
  slowDown(delay: () => number): Cancel;
  /** Holds back everything between the proxy and its clients. */
  stall(): Cancel;
  /** Drops all advertisements. */
  deafen(): Cancel;
  /** Keeps the links of a client that is gone. */
  keepLinks(): Cancel;
  /** Replaces the encryption key by one that nobody knows. */
  replaceKey(): Cancel;
  /** Takes away the power. */
  powerDown(): Cancel;
}
