/** The labels of devices: the names that people give them. On all servers of a broker the later label wins. */
import { Listeners } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import type { DeviceLabel } from '../contract/index.js';
import type { Row, Store } from '../store/store.js';
import type { ClockFacts } from '../store/system-clock.js';
import { inOrderOfWrites, Table } from '../store/table.js';

const COLUMNS = 'address TEXT PRIMARY KEY, label TEXT, time INTEGER NOT NULL, server TEXT NOT NULL';

export const LABELS_TABLE = `CREATE TABLE labels (${COLUMNS}) WITHOUT ROWID`;

export const LABELS_IN_ORDER = inOrderOfWrites('labels', COLUMNS, 'time');

/** The most labels; removed ones go first, then the one that was set longest ago. */
export const MOST_LABELS = 2_000;

/** The last time of a label: a later one, of the last year that ISO 8601 writes with four digits, would block all changes. */
const LATEST_MS = Date.UTC(9998, 11, 31, 23, 59, 59, 999);

/** Whether a later label can replace this one. */
export const isReplaceable = ({ time }: DeviceLabel): boolean => time.getTime() <= LATEST_MS;

/** Equal times are decided by the name of the server, then by the label, so that all servers decide alike. */
const partsOf = ({ time, name, label }: DeviceLabel) => [time.getTime(), name, label ?? ''] as const;

export const isLater = (label: DeviceLabel, than: DeviceLabel): boolean => {
  const [parts, others] = [partsOf(label), partsOf(than)];
  const at = parts.findIndex((part, index) => part !== others[index]);
  return at >= 0 && (parts[at] ?? '') > (others[at] ?? '');
};

const labelIn = ({ label, time, server }: Row): DeviceLabel => ({
  label: label === null ? null : String(label),
  time: new Date(Number(time)),
  name: String(server),
});

export interface LabelsOptions {
  readonly store: Store;
  readonly time: TimeSource;
  readonly clockFacts: Pick<ClockFacts, 'built'>;
  /** The name of this server in its fleet; empty without a fleet. */
  readonly server: string;
}

export class Labels {
  /** The label that was set or taken longest ago comes first; a removed one is null. */
  private readonly all = new Map<Address, DeviceLabel>();
  private readonly listeners = new Listeners<Address>();
  private readonly table: Table;

  constructor(private readonly options: LabelsOptions) {
    this.table = new Table({
      ...options,
      query: 'SELECT * FROM labels ORDER BY rowid',
      merge: (rows) => this.merge(rows),
      writeAll: () => this.writeAll(),
    });
  }

  /** Resolves when the labels of the file are there, or cannot be read yet. Never rejects. */
  get loaded(): Promise<unknown> {
    return this.table.loaded;
  }

  get addresses(): Iterable<Address> {
    return this.all.keys();
  }

  /** The label of a device; null: none. */
  of(address: Address): string | null {
    return this.lastOf(address)?.label ?? null;
  }

  /** The last change of a label. */
  lastOf(address: Address): DeviceLabel | undefined {
    return this.all.get(address);
  }

  /** Labels a device, later than any label of it that is known here; null removes its label. */
  set(address: Address, label: string | null): void {
    // The file may have a label that this removes.
    if (label === null && this.of(address) === null && this.table.isRead) return;
    const { time, clockFacts } = this.options;
    const next = (this.lastOf(address)?.time.getTime() ?? 0) + 1;
    // A clock that is earlier than the build is wrong.
    const earliest = clockFacts.built?.getTime() ?? 0;
    const ms = Math.min(Math.max(time.date().getTime(), next, earliest), LATEST_MS);
    this.put(address, { label, time: new Date(ms), name: this.options.server });
  }

  /** Takes the label that another server has set, if it is later. */
  take(address: Address, label: DeviceLabel): void {
    const last = this.lastOf(address);
    if (last === undefined || isLater(label, last)) this.put(address, label);
  }

  /** Calls back with each device that has got another label. */
  onChange(listener: (address: Address) => void): Unsubscribe {
    return this.listeners.add(listener);
  }

  private put(address: Address, label: DeviceLabel): void {
    this.keep(address, label);
    this.write(address, label);
    this.limit();
  }

  private keep(address: Address, label: DeviceLabel): void {
    this.move(address, label);
    this.listeners.call(address);
  }

  /** Puts a label at the end. */
  private move(address: Address, label: DeviceLabel): void {
    this.all.delete(address);
    this.all.set(address, label);
  }

  private write(address: Address, { label, time, name }: DeviceLabel): void {
    this.table.write([
      'INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?)',
      ...[address, label, time.getTime(), name],
    ]);
  }

  private writeAll(): void {
    for (const [address, label] of this.all) this.write(address, label);
  }

  private limit(): void {
    while (this.all.size > MOST_LABELS) {
      const [first] = this.all.keys();
      const removed = [...this.all].find(([, { label }]) => label === null)?.[0];
      const address = removed ?? first ?? '';
      this.all.delete(address);
      this.options.store.write(['DELETE FROM labels WHERE address = ?', address]);
    }
  }

  private merge(rows: readonly Row[]): void {
    const all = rows.map((row) => [String(row['address']), labelIn(row)] as const);
    const stored = new Map(all.filter(([, label]) => isReplaceable(label)));
    for (const [address, label] of stored) {
      const last = this.lastOf(address);
      if (last === undefined || isLater(label, last)) this.keep(address, label);
    }
    for (const [address, label] of [...this.all]) {
      if (label === stored.get(address)) continue;
      this.move(address, label);
      this.write(address, label);
    }
    this.limit();
  }
}
