/** What the devices around the recorded host advertised, as far as it may be needed. */
import { AdvertisingLog } from './advertising.js';
import type { Report } from './reports.js';

/** Devices and changes of their advertisements that are kept, of all together. */
const KEPT = 20_000;

export class Advertised {
  /** The one heard last is the last. */
  private readonly logs = new Map<string, AdvertisingLog>();
  private kept = 0;
  private forgotten = false;

  /** @param needed whether a device's advertisements are needed for certain; of others those heard last are kept. */
  constructor(
    private readonly needed: (address: string) => boolean,
    private readonly limit = KEPT,
  ) {}

  hear(report: Report): void {
    const { address } = report;
    const known = this.logs.get(address);
    const before = known?.size ?? 0;
    const log = known ?? new AdvertisingLog();
    log.hear(report);
    this.logs.delete(address);
    this.logs.set(address, log);
    this.kept += log.size - before;
    if (this.kept > this.limit) this.forget();
  }

  /** Whether there were more than can be kept, so that a device may have been heard of which no log is left. */
  get isPartial(): boolean {
    return this.forgotten;
  }

  /** An empty one of a device that was not heard. */
  of(address: string): AdvertisingLog {
    return this.logs.get(address) ?? new AdvertisingLog();
  }

  /** The older half of what is not needed: one at a time would look at all that is needed for each. */
  private forget(): void {
    this.forgotten = true;
    for (const [address, log] of this.logs) {
      if (this.kept <= this.limit / 2) return;
      if (this.needed(address)) continue;
      this.logs.delete(address);
      this.kept -= log.size;
    }
  }
}
