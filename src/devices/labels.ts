/** The labels of devices: the names that people give them. Of two labels of a device the later is valid, on every server of a fleet. */
import * as E from 'fp-ts/lib/Either.js';
import { Listeners } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import type { DeviceLabel } from '../contract/index.js';
import type { Row, Store } from '../store/store.js';

export const LABELS_TABLE = `CREATE TABLE labels (
  address TEXT PRIMARY KEY, label TEXT, time INTEGER NOT NULL, server TEXT NOT NULL
) WITHOUT ROWID`;

/** The most labels; removed ones go first, then the one that was set longest ago. */
export const MOST_LABELS = 2_000;

/** The last millisecond of the years that ISO 8601 writes with four digits. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

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
  /** The name of this server in its fleet; empty without a fleet. */
  readonly server: string;
}

export class Labels {
  /** The label that was set or taken longest ago comes first; a removed one is null. */
  private readonly all = new Map<Address, DeviceLabel>();
  private readonly listeners = new Listeners<Address>();
  /** Resolves when the labels of the file are there. Never rejects. */
  readonly loaded: Promise<void>;

  constructor(private readonly options: LabelsOptions) {
    this.loaded = this.load();
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
    if (label === null && this.of(address) === null) return;
    const next = (this.lastOf(address)?.time.getTime() ?? 0) + 1;
    const ms = Math.min(Math.max(this.options.time.date().getTime(), next), LATEST_MS);
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
    const { time, name } = label;
    this.options.store.write([
      'INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?)',
      ...[address, label.label, time.getTime(), name],
    ]);
    if (this.all.size > MOST_LABELS) this.drop();
  }

  private keep(address: Address, label: DeviceLabel): void {
    this.all.delete(address);
    this.all.set(address, label);
    this.listeners.call(address);
  }

  private drop(): void {
    const [first] = this.all.keys();
    const removed = [...this.all].find(([, { label }]) => label === null)?.[0];
    const address = removed ?? first ?? '';
    this.all.delete(address);
    this.options.store.write(['DELETE FROM labels WHERE address = ?', address]);
  }

  private async load(): Promise<void> {
    const rows = await this.options.store.read(['SELECT * FROM labels ORDER BY time'])();
    if (E.isLeft(rows)) return;
    for (const row of rows.right) {
      const [address, label] = [String(row['address']), labelIn(row)];
      if (this.lastOf(address) === undefined) this.keep(address, label);
      else this.take(address, label);
    }
  }
}
