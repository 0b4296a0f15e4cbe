/** The records of devices: the file has those that were connected, labelled or kept connected; the others are in memory. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import { decode, parseJson, type Codec } from '../codecs/index.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Row, Store } from '../store/store.js';

/** The table of devices, the first migration of each server's file. */
export const DEVICES_TABLE = `CREATE TABLE devices (
  address TEXT PRIMARY KEY, label TEXT, name TEXT, keep_connected INTEGER NOT NULL,
  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, details TEXT NOT NULL
) WITHOUT ROWID`;

/** The most devices in the file, and the most others in memory; the device that was seen longest ago goes first. */
const MOST_STORED = 1_000;
const MOST_HEARD = 1_000;

/** How old the stored time of the last packet may be, ms. */
const SEEN_EVERY_MS = 60_000;

/** A device; `details`: its fields that only its kind has. Times are milliseconds of the Unix epoch. */
export interface DeviceRecord<D> {
  readonly address: Address;
  /** The name that people gave it; null: none. */
  readonly label: string | null;
  /** The name that it advertised last. */
  readonly name: string | null;
  readonly keepConnected: boolean;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly details: D;
}

export type RecordChange<D> = Partial<Pick<DeviceRecord<D>, 'label' | 'name' | 'keepConnected'>> & {
  readonly details?: Partial<D>;
};

export interface RecordsOptions<D> {
  readonly store: Store;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly details: Codec<D, Json>;
  /** The details of a new device. */
  readonly unknown: D;
}

/** Puts a record at the end. */
const move = <D>(records: Map<Address, DeviceRecord<D>>, record: DeviceRecord<D>): void => {
  records.delete(record.address);
  records.set(record.address, record);
};

export class DeviceRecords<D extends object> {
  /** The record that changed longest ago comes first, in both maps. */
  private readonly stored = new Map<Address, DeviceRecord<D>>();
  private readonly heard = new Map<Address, DeviceRecord<D>>();
  /** The stored times of the last packets. */
  private readonly storedTimes = new Map<Address, number>();
  private hasLoaded = false;
  /** Resolves when the records of the file are there. Never rejects. */
  readonly loaded: Promise<void>;

  constructor(private readonly options: RecordsOptions<D>) {
    this.loaded = this.load();
  }

  get isLoaded(): boolean {
    return this.hasLoaded;
  }

  get all(): readonly DeviceRecord<D>[] {
    return [...this.stored.values(), ...this.heard.values()];
  }

  /** The addresses of the records in the file. */
  get storedAddresses(): Iterable<Address> {
    return this.stored.keys();
  }

  /** The devices to connect at start, and whenever they are heard. */
  get keptConnected(): readonly DeviceRecord<D>[] {
    return [...this.stored.values()].filter(({ keepConnected }) => keepConnected);
  }

  isStored(address: Address): boolean {
    return this.stored.has(address);
  }

  of(address: Address): DeviceRecord<D> | undefined {
    return this.stored.get(address) ?? this.heard.get(address);
  }

  /** Records that a device was heard now. */
  seen(address: Address, change: RecordChange<D> = {}): void {
    if (!this.isLoaded) return;
    const record = this.changed(address, change);
    if (this.stored.has(address)) {
      move(this.stored, record);
      if (record.lastSeen - (this.storedTimes.get(address) ?? 0) >= SEEN_EVERY_MS) this.write(record);
      return;
    }
    move(this.heard, record);
    const [oldest] = this.heard.keys();
    if (this.heard.size > MOST_HEARD && oldest !== undefined) this.heard.delete(oldest);
  }

  /** Changes a record and stores it; call it after `loaded`. */
  store(address: Address, change: RecordChange<D> = {}): DeviceRecord<D> {
    const record = this.changed(address, change);
    this.heard.delete(address);
    move(this.stored, record);
    this.write(record);
    if (this.stored.size > MOST_STORED) this.forget(this.leastWorth());
    return record;
  }

  forget(address: Address): void {
    this.options.store.write(['DELETE FROM devices WHERE address = ?', address]);
    this.storedTimes.delete(address);
    this.stored.delete(address);
    this.heard.delete(address);
  }

  private changed(address: Address, { details, ...change }: RecordChange<D>): DeviceRecord<D> {
    const now = this.options.time.date().getTime();
    const before = this.of(address) ?? {
      ...{ address, label: null, name: null, keepConnected: false, firstSeen: now },
      details: this.options.unknown,
    };
    return { ...before, ...change, lastSeen: now, details: { ...before.details, ...details } };
  }

  private write({
    address,
    label,
    name,
    keepConnected,
    firstSeen,
    lastSeen,
    details,
  }: DeviceRecord<D>): void {
    this.storedTimes.set(address, lastSeen);
    this.options.store.write([
      'INSERT OR REPLACE INTO devices VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[address, label, name, Number(keepConnected), firstSeen, lastSeen],
      JSON.stringify(this.options.details.encode(details)),
    ]);
  }

  /** The stored device that goes first: devices with a label, or to be kept connected, go last. */
  private leastWorth(): Address {
    const [first] = this.stored.values();
    const plain = [...this.stored.values()].find(
      ({ label, keepConnected }) => label === null && !keepConnected,
    );
    return (plain ?? first)?.address ?? '';
  }

  private async load(): Promise<void> {
    const rows = await this.options.store.read(['SELECT * FROM devices ORDER BY last_seen'])();
    this.hasLoaded = true;
    if (E.isLeft(rows)) return;
    for (const record of rows.right.flatMap((row) => this.recordOf(row))) {
      this.storedTimes.set(record.address, record.lastSeen);
      this.stored.set(record.address, record);
    }
  }

  private recordOf(row: Row): readonly DeviceRecord<D>[] {
    const { address, label, name, keep_connected, first_seen, last_seen, details } = row;
    return pipe(
      parseJson(String(details), 'it'),
      E.chain(decode(this.options.details, 'it')),
      E.match(
        ({ message }) => {
          this.options.log.warn({ address, reason: message }, 'a stored device cannot be read');
          return [];
        },
        (decoded) => [
          {
            address: String(address),
            label: label === null ? null : String(label),
            name: name === null ? null : String(name),
            keepConnected: keep_connected === 1,
            firstSeen: Number(first_seen),
            lastSeen: Number(last_seen),
            details: decoded,
          },
        ],
      ),
    );
  }
}
