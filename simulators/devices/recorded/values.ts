/** The values of a recorded device, and the packets that it sends unsolicited, from their place in the recording. */
import type { Cancel, TimeSource } from '../../../src/async/time.js';
import { AttError, Uuid, isEnabling } from '../../../src/ble/hci/att.js';
import { hexNumber, hexText } from '../../../src/bytes/index.js';
import { valuePdu, type Values } from '../../ble/att-server.js';
import type { Attribute, Table } from '../../ble/attributes.js';
import { Refusal, type Outcome } from '../../ble/discovery.js';
import { Cursor, type PlayedLink, type UnsolicitedPdu } from './pieces.js';
import { configurationOf, permits } from './tables.js';

export interface ValuesContext {
  readonly time: TimeSource;
  readonly send: (pdu: Buffer) => void;
  readonly mtu: () => number;
  readonly requestMtu: (mtu: number) => void;
  /** Reports an operation that the recording does not have, or a value that did not fit; a message. */
  readonly missed: (message: string) => void;
}

/** Timers that run at once for the packets after a write: the delays of successive timers would add up. */
const TIMERS = 100;

export class RecordedValues implements Values<Attribute> {
  private readonly cursor: Cursor;
  private table: Table = new Map();
  /** Client configurations that the host has written, by handle. */
  private readonly configurations = new Map<number, Buffer>();
  private readonly truncated = new Set<number>();
  private readonly timers = new Set<Cancel>();

  constructor(
    links: readonly PlayedLink[],
    private readonly context: ValuesContext,
  ) {
    this.cursor = new Cursor(links);
  }

  /** Moves to the next link of the recording; returns its attributes. */
  begin(): Table {
    const { table, pieces } = this.cursor.nextLink() ?? { table: new Map(), pieces: [] };
    this.table = table;
    this.configurations.clear();
    this.truncated.clear();
    this.play(pieces[0]?.unsolicited ?? []);
    return table;
  }

  end(): void {
    for (const cancel of this.timers) cancel();
    this.timers.clear();
  }

  listed({ fixed }: Attribute): Buffer | undefined {
    return fixed;
  }

  read(attribute: Attribute, offset: number): { readonly value: Buffer } {
    const { handle, type, fixed } = attribute;
    if (fixed !== undefined) return { value: fixed };
    if (type === Uuid.configuration) return { value: this.configurations.get(handle) ?? Buffer.alloc(2) };
    const recorded = this.cursor.read(handle, offset > 0);
    if (recorded?.kind === 'value') return recorded;
    if (recorded !== undefined) throw new Refusal(recorded.handle, recorded.error);
    if (!permits(attribute, 'read')) throw new Refusal(handle, AttError.readNotPermitted);
    this.context.missed(`${hexNumber(handle, 4)} was never read in the recording`);
    throw new Refusal(handle, AttError.unlikelyError);
  }

  /** Sends the packets that preceded the response. */
  write(attribute: Attribute, value: Buffer): Outcome {
    const { handle, type } = attribute;
    const piece = this.cursor.write(handle, value);
    const { refused = 0, refusedHandle = handle, unsolicited = [] } = piece ?? {};
    const then = (): void => this.play(unsolicited.filter(({ early }) => !early));
    const isConfiguration = type === Uuid.configuration;
    if (piece === undefined && !isConfiguration) throw this.neverWritten(attribute, value);
    if (refused === 0 && isConfiguration) {
      if (value.length !== 2) throw new Refusal(handle, AttError.invalidLength);
      this.configurations.set(handle, value);
    }
    for (const pdu of unsolicited) if (pdu.early) this.send(pdu);
    if (refused !== 0) throw new Refusal(refusedHandle, refused, { then });
    return { then };
  }

  private neverWritten(attribute: Attribute, value: Buffer): Refusal {
    const { handle } = attribute;
    if (!permits(attribute, 'write')) return new Refusal(handle, AttError.writeNotPermitted);
    this.context.missed(`${hexText(value)} was never written to ${hexNumber(handle, 4)} in the recording`);
    return new Refusal(handle, AttError.unlikelyError);
  }

  /** Sends recorded packets, each at its time after `since`; packets of an earlier piece go on. */
  private play(pdus: readonly UnsolicitedPdu[], from = 0, since = 0): void {
    const batch = pdus.slice(from, from + TIMERS);
    const last = batch.at(-1);
    for (const pdu of batch) {
      const cancel = this.context.time.after(pdu.after - since, () => {
        this.timers.delete(cancel);
        this.send(pdu);
        if (pdu === last) this.play(pdus, from + TIMERS, pdu.after);
      });
      this.timers.add(cancel);
    }
  }

  private send(pdu: UnsolicitedPdu): void {
    const { context } = this;
    if (pdu.kind === 'mtuRequest') {
      context.requestMtu(pdu.mtu);
      return;
    }
    if (!this.isSubscribed(pdu)) return;
    const { handle, value, confirmed } = pdu;
    const mtu = context.mtu();
    if (value.length > mtu - 3) this.reportTruncated(handle, value.length);
    context.send(valuePdu({ handle, value, mtu }, confirmed));
  }

  /** Whether the host has subscribed; one that wrote no configuration gets the values that the recorded one got without subscribing. */
  private isSubscribed({ handle, unsubscribed }: UnsolicitedPdu & { kind: 'value' }): boolean {
    const configuration = configurationOf(this.table, handle);
    if (configuration === undefined) return true;
    const written = this.configurations.get(configuration);
    return written === undefined ? unsubscribed : isEnabling(written);
  }

  /** Warns once for each link: a device may send hundreds of values a second. */
  private reportTruncated(handle: number, length: number): void {
    if (this.truncated.has(handle)) return;
    this.truncated.add(handle);
    const mtu = this.context.mtu();
    this.context.missed(
      `values of ${hexNumber(handle, 4)} are truncated: ${length} bytes, of which the link's MTU of ${mtu} ` +
        `has room for ${mtu - 3}; ask for an MTU of ${length + 3}`,
    );
  }
}
