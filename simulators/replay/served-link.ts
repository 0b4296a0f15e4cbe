/** One link of a replayed device: its MTU, its subscriptions, and what the device says on it of its own accord. */
import { hexNumber } from '../../src/bytes/index.js';
import { AttOpcode } from '../ble/att.js';
import type { Cancel, Clock } from '../../src/time.js';
import { DEFAULT_MTU, isEnabling, u16 } from './att.js';
import type { RecordedTold } from './pieces.js';
import { configurationOf, type Table } from './table.js';

export interface ServerContext {
  readonly clock: Clock;
  /** An ATT packet for the host. */
  readonly send: (pdu: Buffer) => void;
  /** The host did what the recording does not have, or cannot be told all of it; a sentence. */
  readonly missed: (what: string) => void;
}

/** How many timers run at a time for what follows one write: each late by a moment, all one after the other would add up. */
const TIMERS = 100;

export class ServedLink {
  mtu = DEFAULT_MTU;
  /** Client configurations that the host has written, by handle. */
  readonly configurations = new Map<number, Buffer>();
  /** The MTU that the device has asked for and was not answered. */
  private wantedMtu: number | undefined;
  /** Handles of which values were cut. */
  private readonly cut = new Set<number>();
  private readonly timers = new Set<Cancel>();

  constructor(
    readonly table: Table,
    private readonly context: ServerContext,
  ) {}

  end(): void {
    for (const cancel of this.timers) cancel();
    this.timers.clear();
  }

  /** The host's answer to what the device asked for. */
  agree(offered: number): void {
    if (this.wantedMtu !== undefined) this.mtu = Math.max(DEFAULT_MTU, Math.min(this.wantedMtu, offered));
    this.wantedMtu = undefined;
  }

  /** Tells what was told, at its time after `since`; what an earlier piece still has to tell goes on. */
  play(told: readonly RecordedTold[], from = 0, since = 0): void {
    const some = told.slice(from, from + TIMERS);
    const last = some.at(-1);
    for (const one of some) {
      const cancel = this.context.clock.after(one.after - since, () => {
        this.timers.delete(cancel);
        this.tell(one);
        if (one === last) this.play(told, from + TIMERS, one.after);
      });
      this.timers.add(cancel);
    }
  }

  private tell(told: RecordedTold): void {
    if (told.kind === 'mtuRequest') {
      this.wantedMtu = told.mtu;
      this.context.send(Buffer.concat([Buffer.from([AttOpcode.exchangeMtuRequest]), u16(told.mtu)]));
      return;
    }
    if (!this.isHeard(told)) return;
    const { handle, value, confirmed } = told;
    const opcode = confirmed ? AttOpcode.handleValueIndication : AttOpcode.handleValueNotification;
    const room = this.mtu - 3;
    if (value.length > room) this.tellOfCut(handle, value.length);
    this.context.send(Buffer.concat([Buffer.from([opcode]), u16(handle), value.subarray(0, room)]));
  }

  /** What the host has subscribed to; without a word of the host, also what the recorded one was told unasked. */
  private isHeard({ handle, unasked }: RecordedTold & { kind: 'value' }): boolean {
    const configuration = configurationOf(this.table, handle);
    if (configuration === undefined) return true;
    const set = this.configurations.get(configuration);
    return set === undefined ? unasked : isEnabling(set);
  }

  /** Once for each link: a device may tell hundreds of values a second. */
  private tellOfCut(handle: number, length: number): void {
    if (this.cut.has(handle)) return;
    this.cut.add(handle);
    this.context.missed(
      `values that ${hexNumber(handle, 4)} tells are cut: ${length} bytes, of which the link's MTU of ${this.mtu} ` +
        `has room for ${this.mtu - 3}; ask for an MTU of ${length + 3}`,
    );
  }
}
