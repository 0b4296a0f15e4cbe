import type { Cancel, TimeSource } from '../async/time.js';
import type { Address, Advertisement } from './ports.js';

/** How many devices are remembered at most, and for how long after their last packet, ms. */
export interface Memory {
  readonly devices: number;
  readonly ms: number;
}

export const DEFAULT_MEMORY: Memory = { devices: 2000, ms: 60_000 };

/** The last advertisement of each device that has advertised lately. */
export class AdvertisementCache {
  /** The device whose last packet is oldest comes first. */
  private readonly entries = new Map<Address, { advertisement: Advertisement; at: number }>();
  private sweep: Cancel | undefined;
  private last = -Infinity;
  private isClosed = false;

  constructor(
    private readonly time: TimeSource,
    private readonly memory: Memory,
    /** Called when a device is removed. */
    private readonly onRemoved: (address: Address) => void,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(address: Address): Advertisement | undefined {
    return this.entries.get(address)?.advertisement;
  }

  /** The time of a device's last packet, by `TimeSource.now`; undefined: it has not advertised lately. */
  at(address: Address): number | undefined {
    return this.entries.get(address)?.at;
  }

  /** The time of the last packet of any device; -Infinity before the first. */
  get newest(): number {
    return this.last;
  }

  add(advertisement: Advertisement): void {
    if (this.isClosed) return;
    const { address } = advertisement;
    this.last = this.time.now();
    this.entries.delete(address);
    this.entries.set(address, { advertisement, at: this.last });
    if (this.entries.size > this.memory.devices) {
      const [oldest] = this.entries.keys();
      if (oldest !== undefined) this.delete(oldest);
    }
    this.sweep ??= this.time.after(this.memory.ms, () => this.expire());
  }

  /** Removes a device, until its next packet. */
  remove(address: Address): void {
    if (this.entries.has(address)) this.delete(address);
  }

  clear(): void {
    this.sweep?.();
    this.sweep = undefined;
    this.entries.clear();
  }

  /** Forgets all devices, and remembers no other from now on. */
  close(): void {
    this.isClosed = true;
    this.clear();
  }

  private expire(): void {
    this.sweep = undefined;
    const before = this.time.now() - this.memory.ms;
    for (const [address, { at }] of this.entries) {
      if (at > before) break;
      this.delete(address);
    }
    const [oldest] = this.entries.values();
    if (oldest === undefined) return;
    this.sweep = this.time.after(oldest.at + this.memory.ms - this.time.now(), () => this.expire());
  }

  private delete(address: Address): void {
    this.entries.delete(address);
    this.onRemoved(address);
  }
}
