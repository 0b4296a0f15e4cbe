import type { Cancel, Clock } from '../../time.js';
import type { Address, Advertisement } from '../ports.js';

/** How many devices are remembered, and for how long after their last packet. */
export interface Memory {
  readonly devices: number;
  readonly ms: number;
}

export const DEFAULT_MEMORY: Memory = { devices: 2000, ms: 60_000 };

/** The devices heard lately; the oldest make room, the silent are forgotten. */
export class Heard {
  /** In the order of their last packet. */
  private readonly entries = new Map<Address, { advertisement: Advertisement; at: number }>();
  private sweep: Cancel | undefined;
  private last = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly forgotten: (address: Address) => void,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(address: Address): Advertisement | undefined {
    return this.entries.get(address)?.advertisement;
  }

  /** When a device was heard last, by the clock of all durations; undefined: not lately. */
  at(address: Address): number | undefined {
    return this.entries.get(address)?.at;
  }

  /** When anybody was heard last; -Infinity before. */
  get newest(): number {
    return this.last;
  }

  add(advertisement: Advertisement): void {
    const { address } = advertisement;
    this.last = this.clock.now();
    this.entries.delete(address);
    this.entries.set(address, { advertisement, at: this.last });
    if (this.entries.size > this.memory.devices) {
      const [oldest] = this.entries.keys();
      if (oldest !== undefined) this.forget(oldest);
    }
    this.sweep ??= this.clock.after(this.memory.ms, () => this.forgetSilent());
  }

  /** It is not where it was heard any more; the next packet tells otherwise. */
  remove(address: Address): void {
    if (this.entries.has(address)) this.forget(address);
  }

  clear(): void {
    this.sweep?.();
    this.sweep = undefined;
    this.entries.clear();
  }

  private forgetSilent(): void {
    this.sweep = undefined;
    const before = this.clock.now() - this.memory.ms;
    for (const [address, { at }] of this.entries) {
      if (at > before) break;
      this.forget(address);
    }
    const [oldest] = this.entries.values();
    if (oldest === undefined) return;
    this.sweep = this.clock.after(oldest.at + this.memory.ms - this.clock.now(), () => this.forgetSilent());
  }

  private forget(address: Address): void {
    this.entries.delete(address);
    this.forgotten(address);
  }
}
