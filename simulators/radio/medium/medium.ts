import type { Cancel, TimeSource } from '../../../src/async/time.js';
import { Hooks, type Named } from './hooks.js';
import { paces, type Pace, type PaceName } from './pace.js';
import { seededRng, type Rng } from './rng.js';
import type { Trace } from './trace.js';

export interface AirSettings {
  readonly pace: PaceName;
  /** Probability that a packet on the air is lost, 0 to 1. */
  readonly loss: number;
  /** Milliseconds added to each packet on a link. */
  readonly latencyMs: number;
  readonly seed: number;
}

/** How a device is received. */
export interface Reception {
  /** The RSSI that receivers measure, dBm; null: their adapters report no RSSI. */
  readonly rssi: number | null;
  readonly inRange: boolean;
}

/** A controller as a sender and receiver of radio packets. */
export interface Station extends Named {
  readonly powered: boolean;
}

/** The value for "RSSI is not available" (Core 5.4 Vol 4 Part E 7.5.4 and 7.7.65.2). */
const NO_RSSI = 127;

export const DEFAULT_RECEPTION = { rssi: -60, inRange: true } satisfies Reception;

const between = (address: string, receiver: string): string => `${address} ${receiver}`;

/** How packets travel between controllers: range, RSSI, loss and pace. */
export class Medium {
  /** Hooks by which tests and faults observe, change and stop packets. */
  readonly hooks = new Hooks();
  private current: AirSettings;
  private random: Rng;
  /** A posted task is running; the tasks of `next` run after it. */
  private isRunning = false;
  private next: (() => void)[] = [];
  private readonly receptions = new Map<string, Reception>();

  constructor(
    readonly time: TimeSource,
    /** Records all HCI packets. */
    readonly trace: Trace | undefined,
    private readonly initial: AirSettings,
  ) {
    this.current = initial;
    this.random = seededRng(initial.seed);
  }

  get settings(): AirSettings {
    return this.current;
  }

  get pace(): Pace {
    return paces[this.current.pace];
  }

  rng(): number {
    return this.random();
  }

  configure(change: Partial<AirSettings>): void {
    this.current = { ...this.current, ...change };
    if (change.seed !== undefined) this.random = seededRng(change.seed);
  }

  /** Restores the settings and places of the start. */
  reset(seed = this.initial.seed): void {
    this.receptions.clear();
    this.configure({ ...this.initial, seed });
  }

  /** The reception of a device by one receiver, or its common reception. */
  receptionOf(address: string, receiver?: string): Reception {
    if (this.receptions.size === 0) return DEFAULT_RECEPTION;
    const common = this.receptions.get(address) ?? DEFAULT_RECEPTION;
    return receiver === undefined
      ? common
      : { ...common, ...this.receptions.get(between(address, receiver)) };
  }

  /** Changes how a device is received: by one receiver, or by all if `receiver` is left out. */
  setReception(address: string, change: Partial<Reception>, receiver?: string): void {
    const key = receiver === undefined ? address : between(address, receiver);
    this.receptions.set(key, { ...this.receptionOf(address, receiver), ...change });
  }

  /** Forgets the reception of a device that is gone, so that it does not apply to the next device at the same address. */
  forgetReception(address: string): void {
    for (const key of this.receptions.keys())
      if (key === address || key.startsWith(between(address, ''))) this.receptions.delete(key);
  }

  /** Runs `task` in the next turn of the event loop, after everything posted before it. */
  post(task: () => void): Cancel {
    const immediate = setImmediate(this.run, task);
    return () => clearImmediate(immediate);
  }

  /** Runs `task` directly after the running posted task; without a running task, in the next turn. */
  postNext(task: () => void): void {
    if (this.isRunning) this.next.push(task);
    else this.post(task);
  }

  /** Whether the two are powered and in range of each other. */
  reaches(a: Station, b: Station): boolean {
    return (
      a.powered &&
      b.powered &&
      this.receptionOf(a.address, b.address).inRange &&
      this.receptionOf(b.address, a.address).inRange &&
      (this.hooks.at.reach === undefined || this.hooks.passes('reach', { controller: a, peer: b }))
    );
  }

  /** The RSSI with which a receiver hears a controller: dBm, or 127 for "not available". */
  rssiOf(controller: Named, receiver: Named): number {
    const { rssi } = this.receptionOf(controller.address, receiver.address);
    if (rssi === null) return NO_RSSI;
    if (this.hooks.at.rssi === undefined) return rssi;
    const measured = { controller, rssi };
    this.hooks.passes('rssi', measured);
    return measured.rssi;
  }

  /** Whether a packet between the two is lost on the air. */
  loses(a: Named, b: Named): boolean {
    const { loss } = this.current;
    if (loss > 0 && this.random() < loss) return true;
    return (
      this.hooks.at.transmission !== undefined &&
      !this.hooks.passes('transmission', { controller: a, peer: b })
    );
  }

  private readonly run = (task: () => void): void => {
    this.isRunning = true;
    try {
      task();
    } finally {
      this.isRunning = false;
    }
    const { next } = this;
    if (next.length === 0) return;
    this.next = [];
    for (const nextTask of next) nextTask();
  };
}
