/** The subscriptions of a host on one link, and the values sent for them (Core 5.4 Vol 3 Part F 3.4.7). */
import type { Cancel, TimeSource } from '../../../../src/async/time.js';
import { valuePdu } from '../../../ble/att-server.js';
import type { Served } from './table.js';
import { valueMaker } from '../description/make-values.js';

export interface SubscriptionsContext {
  readonly time: TimeSource;
  readonly rng: () => number;
  readonly mtu: () => number;
  readonly send: (pdu: Buffer) => void;
  /** Whether the device misbehaves and sends nothing. */
  readonly mute: () => boolean;
  readonly changed: () => void;
}

const NOTIFICATIONS = 0b01;
const INDICATIONS = 0b10;

/** Maximum number of indications that wait for a confirmation; the oldest are dropped. */
const MAX_WAITING = 100;

export class Subscriptions {
  /** The configurations that the host has written, by the handle of the value. */
  private readonly configurations = new Map<number, number>();
  private readonly timers = new Map<number, Cancel>();
  private waiting: Buffer[] = [];
  private unconfirmed = false;

  constructor(
    private readonly served: readonly Served[],
    private readonly context: SubscriptionsContext,
  ) {}

  configurationOf({ valueHandle }: Served): number {
    return this.configurations.get(valueHandle) ?? 0;
  }

  get all(): ReadonlyMap<number, number> {
    return this.configurations;
  }

  /** The ids of the characteristics to which the host has subscribed. */
  get ids(): readonly string[] {
    return this.served.filter((served) => this.configurationOf(served) !== 0).map(({ id }) => id);
  }

  configure(characteristic: Served, bits: number): void {
    const { valueHandle } = characteristic;
    const before = this.configurationOf(characteristic);
    this.configurations.set(valueHandle, bits);
    // The host no longer wants indications that still wait.
    if ((bits & INDICATIONS) === 0)
      this.waiting = this.waiting.filter((pdu) => pdu.readUInt16LE(1) !== valueHandle);
    if (bits === 0) this.stop(valueHandle);
    else if (before === 0) this.begin(characteristic);
    this.context.changed();
  }

  /** Restores the configurations of a bonded host. */
  restore(configurations: ReadonlyMap<number, number>): void {
    for (const characteristic of this.served) {
      const bits = configurations.get(characteristic.valueHandle) ?? 0;
      if (bits !== 0 && this.configurationOf(characteristic) === 0) this.configure(characteristic, bits);
    }
  }

  /** Sends a value. False: the host has not subscribed. */
  send(characteristic: Served, value: Buffer): boolean {
    const bits = this.configurationOf(characteristic);
    if (bits === 0) return false;
    if (this.context.mute()) return true;
    const isNotified = (bits & NOTIFICATIONS) !== 0;
    const { valueHandle: handle } = characteristic;
    const pdu = valuePdu({ handle, value, mtu: this.context.mtu() }, !isNotified);
    if (isNotified) this.context.send(pdu);
    else {
      this.waiting = [...this.waiting, pdu].slice(-MAX_WAITING);
      this.next();
    }
    return true;
  }

  /** The host has confirmed the last indication. */
  confirmed(): void {
    this.unconfirmed = false;
    this.next();
  }

  end(): void {
    for (const handle of [...this.timers.keys()]) this.stop(handle);
    this.configurations.clear();
    this.waiting = [];
    this.unconfirmed = false;
  }

  private next(): void {
    const [pdu] = this.waiting;
    if (this.unconfirmed || pdu === undefined) return;
    this.waiting = this.waiting.slice(1);
    this.unconfirmed = true;
    this.context.send(pdu);
  }

  private stop(handle: number): void {
    this.timers.get(handle)?.();
    this.timers.delete(handle);
  }

  /** Sends the values that the characteristic sends by itself, until `stop`. */
  private begin(characteristic: Served): void {
    const { described, value, valueHandle } = characteristic;
    const { notify } = described;
    if (notify === undefined) return;
    const { time, rng } = this.context;
    const makers = (notify.values ?? []).map((parts) => valueMaker(parts, rng));
    let sent = 0;
    const sendNext = (): void => {
      this.timers.set(valueHandle, time.after(notify.every_ms, sendNext));
      // The last indication is not confirmed yet.
      if ((this.configurationOf(characteristic) & INDICATIONS) !== 0 && this.unconfirmed) return;
      const make = makers[sent % Math.max(1, makers.length)] ?? value.make;
      sent += 1;
      if (make !== undefined) value.current = make();
      this.send(characteristic, value.current);
      if (make !== undefined) this.context.changed();
    };
    this.timers.set(valueHandle, time.after(notify.every_ms, sendNext));
  }
}
