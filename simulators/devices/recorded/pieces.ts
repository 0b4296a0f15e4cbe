/** A recording cut at its writes: the reads and notifications after each write. */
import { AttOpcode, AttError, Uuid, isEnabling } from '../../../src/ble/hci/att.js';
import { entriesOf } from '../../../src/ble/hci/discovery.js';
import { unlessShort, u16, u8 } from '../../../src/bytes/index.js';
import type { Exchange, Step, Unsolicited } from './exchanges.js';
import type { Table } from '../../ble/attributes.js';
import { configurationOf } from './tables.js';
import { gapBetween } from './times.js';

interface Refused {
  readonly error: number;
  readonly handle: number;
}

export type ReadResult =
  { readonly kind: 'value'; readonly value: Buffer } | ({ readonly kind: 'refused' } & Refused);

export type UnsolicitedPdu = Unsolicited & {
  /** Milliseconds after the response to the write, or with it; after the beginning of the link if there was no write. */
  readonly after: number;
  /** Sent before the response to the write. */
  readonly early: boolean;
  /** Sent although the host had not subscribed to it on that link, as far as the capture shows. */
  readonly unsubscribed: boolean;
};

export interface Piece {
  /** Undefined: a link began. */
  readonly write: { readonly handle: number; readonly value: Buffer } | undefined;
  /** The ATT error with which the write was refused; 0 for none. */
  readonly refused: number;
  readonly refusedHandle: number;
  /** Results by handle, in order. */
  readonly reads: Map<number, ReadResult[]>;
  readonly unsolicited: UnsolicitedPdu[];
}

const ACCEPTED: Refused = { error: 0, handle: 0 };

const emptyPiece = (write: Piece['write'], { error, handle } = ACCEPTED): Piece => ({
  write,
  refused: error,
  refusedHandle: handle,
  reads: new Map(),
  unsolicited: [],
});

/** @throws ShortPacket if it is an error response without a handle. */
const errorOf = (response: Buffer | undefined): Refused =>
  response?.[0] === AttOpcode.errorResponse
    ? { error: response[4] ?? AttError.unlikelyError, handle: u16.read(response, 2) }
    : ACCEPTED;

/** Cuts one link's steps. Times are measured from the responses of the device, as the host received them. */
class Cutter {
  readonly pieces: Piece[];
  private current = emptyPiece(undefined);
  /** The write with which the current piece begins. */
  private begunBy: Exchange | undefined;
  /** Long writes under way, by handle (Core 5.4 Vol 3 Part F 3.4.6). */
  private prepared = new Map<number, Buffer[]>();
  /** Handles of the configurations that are enabled. */
  private readonly enabled = new Set<number>();
  /** When the last unsolicited packet was sent, or the piece began. */
  private last: number;

  constructor(
    steps: readonly Step[],
    startedAt: number,
    private readonly table: Table,
  ) {
    this.pieces = [this.current];
    this.last = startedAt;
    for (const step of steps) {
      if (step.kind === 'exchange') unlessShort(() => this.exchange(step));
      else this.unsolicited(step);
    }
  }

  private unsolicited({ pdu, at, during }: Step & { kind: 'unsolicited' }): void {
    const { unsolicited } = this.current;
    const early = during !== undefined && during === this.begunBy;
    const after = (unsolicited.at(-1)?.after ?? 0) + gapBetween(this.last, at);
    if (!early) this.last = at;
    const unsubscribed = pdu.kind === 'value' && this.isUnsubscribed(pdu.handle);
    unsolicited.push({ ...pdu, after: early ? 0 : after, early, unsubscribed });
  }

  private isUnsubscribed(handle: number): boolean {
    const configuration = configurationOf(this.table, handle);
    return configuration !== undefined && !this.enabled.has(configuration);
  }

  private exchange(exchange: Exchange): void {
    const { request, response } = exchange;
    const refused = errorOf(response);
    const { error } = refused;
    const handle = request.length >= 3 ? u16.read(request, 1) : 0;
    switch (u8.read(request, 0)) {
      case AttOpcode.writeRequest:
        // Without a response it is not known whether the device accepted it.
        if (response !== undefined) this.begin({ handle, value: request.subarray(3) }, refused, exchange);
        break;
      case AttOpcode.writeCommand:
        this.begin({ handle, value: request.subarray(3) }, ACCEPTED, exchange);
        break;
      case AttOpcode.prepareWriteRequest:
        if (error === 0) {
          this.prepared.set(handle, [...(this.prepared.get(handle) ?? []), request.subarray(5)]);
        }
        break;
      case AttOpcode.executeWriteRequest:
        for (const [prepared, parts] of request[1] === 0 ? [] : this.prepared) {
          this.begin({ handle: prepared, value: Buffer.concat(parts) }, refused, exchange);
        }
        this.prepared = new Map();
        break;
      case AttOpcode.readRequest:
        if (response !== undefined) this.answered(handle, refused, response.subarray(1));
        break;
      case AttOpcode.readBlobRequest:
        if (response !== undefined && error === 0) {
          this.continued(handle, u16.read(request, 3), response.subarray(1));
        }
        break;
      case AttOpcode.readByTypeRequest:
        for (const entry of response === undefined || error !== 0 ? [] : entriesOf(response)) {
          this.answered(u16.read(entry, 0), ACCEPTED, entry.subarray(2));
        }
        break;
    }
  }

  private begin(write: NonNullable<Piece['write']>, refused: Refused, by: Exchange): void {
    this.current = emptyPiece(write, refused);
    this.begunBy = by;
    this.last = by.at;
    this.pieces.push(this.current);
    if (refused.error !== 0 || this.table.get(write.handle)?.type !== Uuid.configuration) return;
    if (isEnabling(write.value)) this.enabled.add(write.handle);
    else this.enabled.delete(write.handle);
  }

  private answered(handle: number, refused: Refused, value: Buffer): void {
    const answer: ReadResult =
      refused.error === 0 ? { kind: 'value', value } : { kind: 'refused', ...refused };
    this.current.reads.set(handle, [...(this.current.reads.get(handle) ?? []), answer]);
  }

  /** The next part of a value that did not fit one packet. */
  private continued(handle: number, offset: number, part: Buffer): void {
    const last = this.current.reads.get(handle)?.at(-1);
    if (last?.kind !== 'value' || last.value.length !== offset) return;
    this.current.reads.get(handle)?.pop();
    this.answered(handle, ACCEPTED, Buffer.concat([last.value, part]));
  }
}

export interface PlayedLink {
  /** The same value for all links of which the attributes are the same. */
  readonly table: Table;
  /** The first piece begins with the link itself. */
  readonly pieces: readonly Piece[];
}

/** Cuts a link that was made at `startedAt`, milliseconds. */
export const playedLink = (steps: readonly Step[], startedAt: number, table: Table): PlayedLink => ({
  table,
  pieces: new Cutter(steps, startedAt, table).pieces,
});

/** The position in the recording: links and writes move it, reads are answered from it. */
export class Cursor {
  private link = -1;
  /** Pieces of all links with the same attribute table: handles of other tables mean other attributes. */
  private pieces: readonly Piece[] = [];
  private at = 0;
  /** How many reads of a handle this piece has answered. */
  private taken = new Map<number, number>();

  /** @param links at least one */
  constructor(private readonly links: readonly PlayedLink[]) {}

  /** Moves to the next link of the recording: at first to the first, and from the last back to the first. */
  nextLink(): PlayedLink | undefined {
    this.link = (this.link + 1) % this.links.length;
    const link = this.links[this.link];
    this.pieces = this.links.filter(({ table }) => table === link?.table).flatMap(({ pieces }) => pieces);
    this.moveTo(this.pieces.findIndex((piece) => piece === link?.pieces[0]));
    return link;
  }

  /** Moves to the next such write, from the last back to the first. Undefined: the value was never written. */
  write(handle: number, value: Buffer): Piece | undefined {
    const { pieces, at } = this;
    const matches = ({ write }: Piece): boolean => write?.handle === handle && write.value.equals(value);
    const ahead = pieces.findIndex((piece, index) => index > at && matches(piece));
    const next = ahead < 0 ? pieces.findIndex(matches) : ahead;
    if (next >= 0) this.moveTo(next);
    return pieces[next];
  }

  /**
   * The values read in this piece: one after the other, the last repeatedly. An attribute that was not read in it has
   * the last value before it, or else the first one after it. `again` repeats the last value.
   * Undefined: the attribute was never read.
   */
  read(handle: number, again = false): ReadResult | undefined {
    const here = this.pieces[this.at]?.reads.get(handle);
    if (here !== undefined) {
      const next = this.taken.get(handle) ?? 0;
      const taken = again ? Math.max(0, next - 1) : next;
      this.taken.set(handle, taken + 1);
      return here[Math.min(taken, here.length - 1)];
    }
    const before = this.pieces.slice(0, this.at).findLast(({ reads }) => reads.has(handle));
    if (before !== undefined) return before.reads.get(handle)?.at(-1);
    return this.pieces.find(({ reads }) => reads.has(handle))?.reads.get(handle)?.[0];
  }

  private moveTo(index: number): void {
    this.at = index;
    this.taken = new Map();
  }
}
