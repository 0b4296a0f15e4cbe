import { AdvertisingSet } from './advertising-set.js';

/** How many sets a host may have (Core 5.4 Vol 4 Part E 7.8.58). */
export const ADVERTISING_SETS = 8;

/** The advertising sets of one controller: one for the legacy commands, and the numbered ones of the extended commands. */
export class AdvertisingSets {
  readonly legacy = new AdvertisingSet();
  private readonly numbered = new Map<number, AdvertisingSet>();

  /** All sets, the legacy set first. */
  get all(): readonly AdvertisingSet[] {
    return [this.legacy, ...this.numbered.values()];
  }

  get(number: number): AdvertisingSet | undefined {
    return this.numbered.get(number);
  }

  /** The set with this number, created if necessary; undefined if the controller has no room for it. */
  make(number: number): AdvertisingSet | undefined {
    const existing = this.numbered.get(number);
    if (existing !== undefined || this.numbered.size >= ADVERTISING_SETS) return existing;
    const set = new AdvertisingSet(number);
    this.numbered.set(number, set);
    return set;
  }

  remove(number: number): void {
    this.numbered.delete(number);
  }

  clear(): void {
    this.numbered.clear();
  }

  enabled(): readonly AdvertisingSet[] {
    return this.all.filter(({ enabled }) => enabled);
  }

  reset(): void {
    for (const set of this.all) set.reset();
    this.clear();
  }
}
