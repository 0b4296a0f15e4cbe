/** The records of devices: the file has those that were connected, labelled or kept connected; the others are in memory. */
import { isDeepStrictEqual } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import { detached, Listeners } from '../async/defects.js';
import { MINUTE_MS, type Cancel } from '../async/time.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import { decode, parseJson, type Codec } from '../codecs/index.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Row, Statement } from '../store/store.js';
import { inOrderOfWrites, Table } from '../store/table.js';
import { Labels, LABELS_IN_ORDER, LABELS_TABLE, type LabelsOptions } from './labels.js';

const COLUMNS = `address TEXT PRIMARY KEY, name TEXT, keep_connected INTEGER NOT NULL,
  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, details TEXT NOT NULL`;

/** The tables of devices and labels, the first migration of each server's file. */
export const DEVICES_TABLE = `CREATE TABLE devices (${COLUMNS}) WITHOUT ROWID;
${LABELS_TABLE}`;

/** The migration to tables that keep the order in which devices and labels were written last. */
export const DEVICES_IN_ORDER = `${inOrderOfWrites('devices', COLUMNS, 'last_seen')};
${LABELS_IN_ORDER}`;

/** The most devices in the file, and the most others in memory; the device that was seen longest ago goes first. */
const MOST_STORED = 1_000;
const MOST_HEARD = 1_000;

/** How old the stored time of the last packet may be, ms. */
const SEEN_EVERY_MS = MINUTE_MS;

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

/** A record without its label, which `Labels` has; `keepConnected`: null until a client sets it. */
type Unlabelled<D> = Omit<DeviceRecord<D>, 'label' | 'keepConnected'> & {
  readonly keepConnected: boolean | null;
};

export type RecordChange<D> = Partial<Pick<DeviceRecord<D>, 'name' | 'keepConnected'>> & {
  readonly details?: Partial<D>;
};

export type ClientChange<D> = RecordChange<D> & { readonly label?: string | null };

export interface RecordsOptions<D> extends LabelsOptions {
  readonly log: Logger;
  readonly details: Codec<D, Json>;
  /** The details of a new device. */
  readonly unknown: D;
}

/** The fields that are not null. */
export const withoutNull = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;

/** A record of the file with all that memory knows of the device. */
const merged = <D extends object>(stored: Unlabelled<D>, memory: Unlabelled<D> | undefined): Unlabelled<D> =>
  memory === undefined
    ? stored
    : {
        ...stored,
        ...withoutNull(memory),
        firstSeen: stored.firstSeen,
        details: { ...stored.details, ...withoutNull(memory.details) },
      };

/** Puts a record at the end. */
const move = <D>(records: Map<Address, Unlabelled<D>>, record: Unlabelled<D>): void => {
  records.delete(record.address);
  records.set(record.address, record);
};

export class DeviceRecords<D extends object> {
  /** The record that changed longest ago comes first, in both maps. */
  private readonly stored = new Map<Address, Unlabelled<D>>();
  private readonly heard = new Map<Address, Unlabelled<D>>();
  /** The stored times of the last packets. */
  private readonly storedTimes = new Map<Address, number>();
  private readonly newcomers = new Listeners<Address>();
  private readonly lateLoads = new Listeners<readonly Address[]>();
  private hasLoaded = false;
  private readonly table: Table;
  readonly labels: Labels;
  /** Resolves when records and labels of the file are there, or cannot be read yet. Never rejects. */
  readonly loaded: Promise<void>;

  constructor(private readonly options: RecordsOptions<D>) {
    this.labels = new Labels(options);
    this.table = new Table({
      ...options,
      query: 'SELECT * FROM devices ORDER BY rowid',
      merge: (rows) => this.merge(rows),
      writeAll: () => this.writeAll(),
    });
    this.loaded = this.load();
  }

  get isLoaded(): boolean {
    return this.hasLoaded;
  }

  get all(): readonly DeviceRecord<D>[] {
    return [...this.stored.values(), ...this.heard.values()].map((record) => this.labelled(record));
  }

  /** The addresses of the records in the file. */
  get storedAddresses(): Iterable<Address> {
    return this.stored.keys();
  }

  /** The devices to keep connected. */
  private get kept(): readonly Address[] {
    return this.all.flatMap(({ address, keepConnected }) => (keepConnected ? [address] : []));
  }

  private get now(): number {
    return this.options.time.date().getTime();
  }

  isStored(address: Address): boolean {
    return this.stored.has(address);
  }

  of(address: Address): DeviceRecord<D> | undefined {
    const record = this.unlabelled(address);
    return record && this.labelled(record);
  }

  /** Calls back after `loaded`, and when the file could be read only later, with the devices in it that are to be kept connected. */
  onLoaded(listener: (kept: readonly Address[]) => void): Cancel {
    detached(this.loaded.then(() => listener(this.kept)));
    return this.lateLoads.add(listener);
  }

  /** Calls back with each device that has just got a record. */
  onNewcomer(listener: (address: Address) => void): Unsubscribe {
    return this.newcomers.add(listener);
  }

  /** Records that a device was heard now. */
  seen(address: Address, change: RecordChange<D> = {}): void {
    if (!this.isLoaded) return;
    const record = { ...this.changed(address, change), lastSeen: this.now };
    if (this.stored.has(address)) {
      move(this.stored, record);
      const age = record.lastSeen - (this.storedTimes.get(address) ?? 0);
      // The time of day may have jumped back.
      if (Math.abs(age) >= SEEN_EVERY_MS) this.write(record);
      return;
    }
    const isNew = !this.heard.has(address);
    move(this.heard, record);
    if (isNew) this.newcomers.call(address);
    const [oldest] = this.heard.keys();
    if (this.heard.size > MOST_HEARD && oldest !== undefined) this.heard.delete(oldest);
  }

  /** Changes a record and stores it, with the time at which it was last seen; call it after `loaded`. */
  store(address: Address, change: RecordChange<D> = {}): DeviceRecord<D> {
    const isNew = this.unlabelled(address) === undefined;
    const before = this.stored.get(address);
    const record = this.changed(address, change);
    this.heard.delete(address);
    move(this.stored, record);
    if (!isDeepStrictEqual(before, record)) this.write(record);
    if (isNew) this.newcomers.call(address);
    this.limit();
    return this.labelled(record);
  }

  /** Changes a record for a client. A device that was only heard is stored with a label, to be kept connected, or with other details. */
  change(address: Address, { label, ...change }: ClientChange<D>): DeviceRecord<D> {
    if (label !== undefined) this.labels.set(address, label);
    const needsStore =
      typeof label === 'string' || change.keepConnected === true || change.details !== undefined;
    if (needsStore || this.isStored(address)) return this.store(address, change);
    const record = this.changed(address, change);
    move(this.heard, record);
    return this.labelled(record);
  }

  /** The statements that delete a record from the file and remove its label, later than the label was set. */
  deletionOf(address: Address): readonly Statement[] {
    return [
      ['DELETE FROM devices WHERE address = ?', address],
      ['UPDATE labels SET label = NULL, time = time + 1 WHERE address = ? AND label IS NOT NULL', address],
    ];
  }

  /** Removes a record and its label. */
  forget(address: Address): void {
    this.labels.set(address, null);
    this.drop(address);
  }

  private drop(address: Address): void {
    this.options.store.write(['DELETE FROM devices WHERE address = ?', address]);
    this.storedTimes.delete(address);
    this.stored.delete(address);
    this.heard.delete(address);
  }

  private unlabelled(address: Address): Unlabelled<D> | undefined {
    return this.stored.get(address) ?? this.heard.get(address);
  }

  private labelled(record: Unlabelled<D>): DeviceRecord<D> {
    const { address, keepConnected } = record;
    return { ...record, label: this.labels.of(address), keepConnected: keepConnected === true };
  }

  private changed(address: Address, { details, ...change }: RecordChange<D>): Unlabelled<D> {
    const { now } = this;
    const before = this.unlabelled(address) ?? {
      ...{ address, name: null, keepConnected: null, firstSeen: now, lastSeen: now },
      details: this.options.unknown,
    };
    return { ...before, ...change, details: { ...before.details, ...details } };
  }

  private write({ address, name, keepConnected, firstSeen, lastSeen, details }: Unlabelled<D>): void {
    this.storedTimes.set(address, lastSeen);
    this.table.write([
      'INSERT OR REPLACE INTO devices VALUES (?, ?, ?, ?, ?, ?)',
      ...[address, name, Number(keepConnected === true), firstSeen, lastSeen],
      JSON.stringify(this.options.details.encode(details)),
    ]);
  }

  private writeAll(): void {
    for (const record of this.stored.values()) this.write(record);
  }

  private limit(): void {
    while (this.stored.size > MOST_STORED) this.drop(this.leastWorth());
  }

  /** The stored device that goes first: devices with a label, or to be kept connected, go last. */
  private leastWorth(): Address {
    const [first] = this.stored.values();
    const plain = [...this.stored.values()].find(
      ({ address, keepConnected }) => this.labels.of(address) === null && keepConnected !== true,
    );
    return (plain ?? first)?.address ?? '';
  }

  private async load(): Promise<void> {
    await Promise.all([this.table.loaded, this.labels.loaded]);
    this.hasLoaded = true;
  }

  private merge(rows: readonly Row[]): void {
    const kept = new Set(this.kept);
    const meanwhile = [...this.stored.keys()];
    const inFile = new Map(
      rows.flatMap((row) => this.recordOf(row)).map((record) => [record.address, record]),
    );
    for (const [address, record] of inFile) {
      const memory = this.unlabelled(address);
      const all = merged(record, memory);
      this.heard.delete(address);
      this.storedTimes.set(address, record.lastSeen);
      move(this.stored, all);
      if (!isDeepStrictEqual(all, record)) this.write(all);
      if (memory === undefined) this.newcomers.call(address);
    }
    for (const address of meanwhile) {
      const record = this.stored.get(address);
      if (record === undefined) continue;
      move(this.stored, record);
      if (!inFile.has(address)) this.write(record);
    }
    this.limit();
    if (this.hasLoaded) this.lateLoads.call(this.kept.filter((address) => !kept.has(address)));
  }

  private recordOf(row: Row): readonly Unlabelled<D>[] {
    const { address, name, keep_connected, first_seen, last_seen, details } = row;
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
