/** What can be broken on purpose, by device, and how often; each fault counts what it did. */
export type FaultSpec = {
  /** The device's address, or `all`. */
  readonly device: string;
  /** How many times it acts before it is spent; for ever if left out. */
  readonly times?: number;
} & (
  | /** The link is lost: now if it is up, or with `after` at each that many data packets of the device. */
    {
      readonly type: 'link_loss';
      readonly after?: number;
    } /** Data packets of the device vanish, though the link lives. */
  | { readonly type: 'silence' } /** Data packets of the device take `ms` longer. */
  | {
      readonly type: 'delay';
      readonly ms: number;
    } /** Packets to and from the device are lost on the air with this chance, 0 to 1, and sent again where links do that. */
  | {
      readonly type: 'loss';
      readonly rate: number;
    } /** Connecting ends with 0x3E, as when the device never heard the request. */
  | { readonly type: 'failed_establishment' }
);

export type Fault = FaultSpec & { readonly id: string; readonly hits: number };

/** A fault as the register keeps it. */
export type RegisteredFault = FaultSpec & Counters;

interface Counters {
  readonly id: string;
  /** How often it acted. */
  hits: number;
  /** Data packets of the device since it last acted. */
  packets: number;
}

type Entry<T extends FaultSpec['type']> = Extract<FaultSpec, { type: T }> & Counters;

export class Faults {
  private readonly entries = new Map<string, RegisteredFault>();
  private created = 0;

  constructor(private readonly changed: (added?: RegisteredFault) => void) {}

  add(spec: FaultSpec): Fault {
    const fault = { ...spec, id: `f${++this.created}`, hits: 0, packets: 0 };
    this.entries.set(fault.id, fault);
    this.changed(fault);
    return shown(fault);
  }

  list(): readonly Fault[] {
    return [...this.entries.values()].map(shown);
  }

  /** False if there is no such fault. */
  remove(id: string): boolean {
    const existed = this.entries.delete(id);
    if (existed) this.changed();
    return existed;
  }

  clear(): void {
    this.entries.clear();
    this.created = 0;
    this.changed();
  }

  /** The faults of a type that still act on any of `devices`. */
  acting<T extends FaultSpec['type']>(type: T, devices: readonly string[]): readonly Entry<T>[] {
    if (this.entries.size === 0) return [];
    const isOfType = (fault: RegisteredFault): fault is Entry<T> =>
      fault.type === type &&
      (fault.device === 'all' || devices.includes(fault.device)) &&
      fault.hits < (fault.times ?? Infinity);
    return [...this.entries.values()].filter(isOfType);
  }

  hit(fault: { hits: number }): void {
    fault.hits += 1;
  }
}

const shown = ({ packets: _packets, ...fault }: RegisteredFault): Fault => fault;
