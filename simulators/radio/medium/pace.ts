/** The timing of the air. All times in milliseconds. */
import type { TimeSource } from '../../../src/async/time.js';

export type PaceName = 'fast' | 'real';

export interface Pace {
  /** Whether an advertiser sends immediately when it starts, and when a controller starts to scan, unless Linux may be its host. */
  readonly immediate: boolean;
  /** The time between two advertising events; `chance`: a random number in [0, 1). */
  readonly advertising: (interval: number, chance: number) => number;
  /** The time until the next connection event of a link whose first was at `anchor`. */
  readonly connectionEvent: (time: TimeSource, anchor: number, interval: number) => number;
  /** The time until a lost packet is sent again. */
  readonly retransmission: (interval: number) => number;
  readonly supervision: (timeout: number) => number;
  /** How many times faster the clock of the devices runs. */
  readonly deviceSpeed: number;
}

export const paces: Readonly<Record<PaceName, Pace>> = {
  fast: {
    immediate: true,
    advertising: () => 20,
    connectionEvent: () => 0,
    retransmission: () => 2,
    supervision: (timeout) => Math.min(timeout, 200),
    deviceSpeed: 20,
  },
  // advDelay is a random 0 to 10 ms at each event (Core 5.4 Vol 6 Part B 4.4.2.2.1).
  real: {
    immediate: false,
    advertising: (interval, chance) => interval + chance * 10,
    connectionEvent: (time, anchor, interval) => interval - ((time.now() - anchor) % interval),
    retransmission: (interval) => interval,
    supervision: (timeout) => timeout,
    deviceSpeed: 1,
  },
};
