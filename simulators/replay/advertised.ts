/** Advertisements of the devices around the recorded host, as far as they may be needed. */
import { AdvertisingLog } from './advertising.js';
import type { Report } from '../ble/advertising-reports.js';

/** Devices and changes of their advertisements that are kept, of all together. */
const KEPT = 20_000;

export class Advertised {
  /** The most recently received last. */
  private readonly logs = new Map<string, AdvertisingLog>();
  private keptBytes = 0;
  private forgotten = false;

  /** @param needed whether a device's advertisements are needed for certain; of others the most recent are kept. */
  constructor(
    private readonly needed: (address: string) => boolean,
    private readonly limit = KEPT,
  ) {}

  add(report: Report): void {
    const { address } = report;
    const known = this.logs.get(address);
    const before = known?.size ?? 0;
    const log = known ?? new AdvertisingLog();
    log.add(report);
    this.logs.delete(address);
    this.logs.set(address, log);
    this.keptBytes += log.size - before;
    if (this.keptBytes > this.limit) this.forget();
  }

  /** Whether there were more than can be kept, so that the log of a device may have been dropped. */
  get isPartial(): boolean {
    return this.forgotten;
  }

  /** An empty one for a device that is unknown. */
  of(address: string): AdvertisingLog {
    return this.logs.get(address) ?? new AdvertisingLog();
  }

  /** The older half of the logs that are not needed: one at a time would walk over all needed logs each time. */
  private forget(): void {
    this.forgotten = true;
    for (const [address, log] of this.logs) {
      if (this.keptBytes <= this.limit / 2) return;
      if (this.needed(address)) continue;
      this.logs.delete(address);
      this.keptBytes -= log.size;
    }
  }
}
