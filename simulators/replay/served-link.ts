/** One link of a replayed device: its MTU, its subscriptions, and the unsolicited packets of the device. */
import { hexNumber } from '../../src/bytes/index.js';
import { AttOpcode, DEFAULT_MTU, isEnabling, u16 } from '../../src/ble/hci/att.js';
import type { Cancel, TimeSource } from '../../src/async/time.js';
import type { UnsolicitedPdu } from './pieces.js';
import { configurationOf, type Table } from './table.js';

export interface ServerContext {
  readonly time: TimeSource;
  /** An ATT packet for the host. */
  readonly send: (pdu: Buffer) => void;
  /** The host did something that the recording does not have, or a notification did not fit; a message. */
  readonly missed: (what: string) => void;
}

/** How many timers run at a time for what follows one write: each late by a moment, all one after the other would add up. */
const TIMERS = 100;

export class ServedLink {
  mtu = DEFAULT_MTU;
  /** Client configurations that the host has written, by handle. */
  readonly configurations = new Map<number, Buffer>();
  /** The MTU that the device has requested, until the response. */
  private wantedMtu: number | undefined;
  /** Handles with truncated values. */
  private readonly truncated = new Set<number>();
  private readonly timers = new Set<Cancel>();

  constructor(
    readonly table: Table,
    private readonly context: ServerContext,
  ) {}

  end(): void {
    for (const cancel of this.timers) cancel();
    this.timers.clear();
  }

  /** The host's response to the request for an MTU. */
  agree(offered: number): void {
    if (this.wantedMtu !== undefined) this.mtu = Math.max(DEFAULT_MTU, Math.min(this.wantedMtu, offered));
    this.wantedMtu = undefined;
  }

  /** Sends recorded packets at once. */
  sendAll(pdus: readonly UnsolicitedPdu[]): void {
    for (const one of pdus) this.send(one);
  }

  /** Sends recorded packets, each at its time after `since`; those of an earlier piece go on. */
  play(pdus: readonly UnsolicitedPdu[], from = 0, since = 0): void {
    const some = pdus.slice(from, from + TIMERS);
    const last = some.at(-1);
    for (const one of some) {
      const cancel = this.context.time.after(one.after - since, () => {
        this.timers.delete(cancel);
        this.send(one);
        if (one === last) this.play(pdus, from + TIMERS, one.after);
      });
      this.timers.add(cancel);
    }
  }

  private send(pdu: UnsolicitedPdu): void {
    if (pdu.kind === 'mtuRequest') {
      this.wantedMtu = pdu.mtu;
      this.context.send(Buffer.concat([Buffer.from([AttOpcode.exchangeMtuRequest]), u16(pdu.mtu)]));
      return;
    }
    if (!this.isSubscribed(pdu)) return;
    const { handle, value, confirmed } = pdu;
    const opcode = confirmed ? AttOpcode.handleValueIndication : AttOpcode.handleValueNotification;
    const room = this.mtu - 3;
    if (value.length > room) this.reportTruncated(handle, value.length);
    this.context.send(Buffer.concat([Buffer.from([opcode]), u16(handle), value.subarray(0, room)]));
  }

  /** Whether the host has subscribed to it; one that wrote no configuration gets the values that the recorded one got without subscribing. */
  private isSubscribed({ handle, unsubscribed }: UnsolicitedPdu & { kind: 'value' }): boolean {
    const configuration = configurationOf(this.table, handle);
    if (configuration === undefined) return true;
    const set = this.configurations.get(configuration);
    return set === undefined ? unsubscribed : isEnabling(set);
  }

  /** Once for each link: a device may send hundreds of values a second. */
  private reportTruncated(handle: number, length: number): void {
    if (this.truncated.has(handle)) return;
    this.truncated.add(handle);
    this.context.missed(
      `values of ${hexNumber(handle, 4)} are truncated: ${length} bytes, of which the link's MTU of ${this.mtu} ` +
        `has room for ${this.mtu - 3}; ask for an MTU of ${length + 3}`,
    );
  }
}
