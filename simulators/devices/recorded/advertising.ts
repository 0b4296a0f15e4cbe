/** Advertisements of recorded devices, fitted to legacy advertising. */
import {
  MAX_ADVERTISING_DATA,
  advertisedLength,
  decodeAdvertisingData,
  encodeAdvertisingData,
  namesIn,
  type AdStructure,
} from '../../ble/advertising-data.js';
import type { Report } from '../../ble/advertising-reports.js';
import type { Payload } from '../../ble/peripheral-host.js';
import { gapBetween } from './times.js';

export interface RecordedAdvertising {
  /** Payloads, each with the milliseconds until the next; played in a loop. */
  readonly payloads: readonly (Payload & { readonly lasts: number })[];
  /** Whether the capture has any advertisement of the device. */
  readonly captured: boolean;
  /** AD structures of extended advertising that fit neither packet. */
  readonly dropped: number;
  /** Whether it changed more often than is kept: only the first changes are. */
  readonly full: boolean;
}

/** How long the last advertisement of a recording is on the air before the first one follows, milliseconds. */
const LAST_MS = 1000;

const fits = (structures: readonly AdStructure[], next: AdStructure): boolean =>
  advertisedLength([...structures, next]) <= MAX_ADVERTISING_DATA;

/** Both packets unchanged if they fit; else as many AD structures as fit, in their order. */
const fitted = (advertisement: Buffer, scanResponse: Buffer): Payload & { readonly dropped: number } => {
  const isShort = ({ length }: Buffer): boolean => length <= MAX_ADVERTISING_DATA;
  if (isShort(advertisement) && isShort(scanResponse)) return { advertisement, scanResponse, dropped: 0 };
  const first: AdStructure[] = [];
  const second: AdStructure[] = [];
  let dropped = 0;
  for (const structure of [advertisement, scanResponse].flatMap(decodeAdvertisingData)) {
    if (fits(first, structure)) first.push(structure);
    else if (fits(second, structure)) second.push(structure);
    else dropped += 1;
  }
  return {
    advertisement: encodeAdvertisingData(first),
    scanResponse: encodeAdvertisingData(second),
    dropped,
  };
};

/** Maximum bytes of AD structures in extended advertising (Core 5.4 Vol 4 Part E 7.8.54). */
const MAX_EXTENDED_DATA = 1650;

const EMPTY: Buffer = Buffer.alloc(0);

/** How many changes are kept of a device. */
export const KEPT_CHANGES = 10_000;

/** The advertisements of one device, as they are received: the changes, with their times, and the last scan response. */
export class AdvertisingLog {
  /** The last received name; empty without one. */
  name = '';
  private readonly changes: { readonly data: Buffer; readonly at: number }[] = [];
  private full = false;
  private response: Buffer | undefined;
  /** The last advertisement, kept as a change or not. */
  private last: Buffer | undefined;
  /** Parts of extended data that came in several reports. */
  private pending: Buffer = EMPTY;

  /** The number of its entries: the log itself, and each change. */
  get size(): number {
    return 1 + this.changes.length;
  }

  add({ more, data: part, response, at }: Report): void {
    const data = this.pending.length === 0 ? part : Buffer.concat([this.pending, part]);
    this.pending = more && data.length <= MAX_EXTENDED_DATA ? Buffer.from(data) : EMPTY;
    if (more || (response ? this.response : this.last)?.equals(data) === true) return;
    const kept = Buffer.from(data);
    this.name = namesIn(decodeAdvertisingData(kept)).at(-1)?.toString().replace(/\0+$/, '') ?? this.name;
    if (response) this.response = kept;
    else {
      this.last = kept;
      if (this.changes.length < KEPT_CHANGES) this.changes.push({ data: kept, at });
      else this.full = true;
    }
  }

  recorded(): RecordedAdvertising {
    const { changes, response = EMPTY } = this;
    const states = changes.length > 0 ? changes : [{ data: EMPTY, at: 0 }];
    const payloads = states.map(({ data, at }, index) => {
      const next = states[index + 1];
      return { ...fitted(data, response), lasts: next === undefined ? LAST_MS : gapBetween(at, next.at) };
    });
    return {
      payloads: payloads.map(({ dropped: _dropped, ...payload }) => payload),
      captured: this.last !== undefined || this.response !== undefined,
      dropped: payloads.reduce((most, { dropped }) => Math.max(most, dropped), 0),
      full: this.full,
    };
  }
}

/** How many devices and changes of their advertisements are kept in all. */
const KEPT = 20_000;

/** Advertisements of the devices around the recorded host, as far as they may be needed. */
export class Advertised {
  /** The most recently received last. */
  private readonly logs = new Map<string, AdvertisingLog>();
  private entries = 0;
  private forgotten = false;

  /** @param needed whether a device's advertisements must be kept; of other devices the most recent are kept. */
  constructor(
    private readonly needed: (address: string) => boolean,
    private readonly limit = KEPT,
  ) {}

  add(report: Report): void {
    const { address } = report;
    const log = this.of(address);
    const before = this.logs.has(address) ? log.size : 0;
    log.add(report);
    this.logs.delete(address);
    this.logs.set(address, log);
    this.entries += log.size - before;
    if (this.entries > this.limit) this.forget();
  }

  /** Whether there were more entries than can be kept, so that the log of a device may have been dropped. */
  get isPartial(): boolean {
    return this.forgotten;
  }

  /** The log of a device; an empty log for an unknown device. */
  of(address: string): AdvertisingLog {
    return this.logs.get(address) ?? new AdvertisingLog();
  }

  /** The older half of the logs that are not needed: one at a time would walk over all needed logs each time. */
  private forget(): void {
    this.forgotten = true;
    for (const [address, log] of this.logs) {
      if (this.entries <= this.limit / 2) return;
      if (this.needed(address)) continue;
      this.logs.delete(address);
      this.entries -= log.size;
    }
  }
}
