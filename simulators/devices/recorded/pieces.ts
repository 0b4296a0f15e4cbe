/** A recording cut at its writes: the reads and notifications after each write. */
import { AttOpcode, AttError, Uuid, isEnabling } from '../../../src/ble/hci/att.js';
import { entriesOf } from '../../../src/ble/hci/discovery.js';
import { unlessShort, u16, u8 } from '../../../src/bytes/index.js';
import type { Exchange, Step, Unsolicited } from './exchanges.js';
import type { Table } from '../../ble/attributes.js';
import { append, firstIndex } from './sorted.js';
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
          append(this.prepared, handle, request.subarray(5));
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
    append(this.current.reads, handle, answer);
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

const keyOf = (handle: number, value: Buffer): string => `${handle} ${value.toString('hex')}`;

/** The pieces of all links with the same attribute table: handles of other tables mean other attributes. */
class Track {
  readonly pieces: Piece[] = [];
  /** Places among `pieces`, by the write with which a piece begins. */
  private readonly writes = new Map<string, number[]>();
  /** Places among `pieces`, by the handles that were read in a piece. */
  private readonly reads = new Map<number, number[]>();

  /** Returns the place of the first of `pieces`. */
  add(pieces: readonly Piece[]): number {
    const first = this.pieces.length;
    for (const piece of pieces) {
      const place = this.pieces.push(piece) - 1;
      if (piece.write !== undefined) append(this.writes, keyOf(piece.write.handle, piece.write.value), place);
      for (const handle of piece.reads.keys()) append(this.reads, handle, place);
    }
    return first;
  }

  /** The place of the next such write after `at`, from the last back to the first. */
  write(at: number, handle: number, value: Buffer): number | undefined {
    const places = this.writes.get(keyOf(handle, value)) ?? [];
    return places[firstIndex(places, (place) => place > at)] ?? places[0];
  }

  /** The last value that was read before `at`, or else the first one after it. */
  read(at: number, handle: number): ReadResult | undefined {
    const places = this.reads.get(handle) ?? [];
    const next = firstIndex(places, (place) => place > at);
    const resultsAt = (place = -1): readonly ReadResult[] => this.pieces[place]?.reads.get(handle) ?? [];
    return resultsAt(places[next - 1]).at(-1) ?? resultsAt(places[next])[0];
  }
}

/** The position in the recording: links and writes move it, reads are answered from it. */
export class Cursor {
  private readonly links: readonly {
    readonly link: PlayedLink;
    readonly track: Track;
    readonly first: number;
  }[];
  private link = -1;
  private track = new Track();
  private at = 0;
  /** How many reads of a handle this piece has answered. */
  private taken = new Map<number, number>();

  /** @param links at least one */
  constructor(links: readonly PlayedLink[]) {
    const tracks = new Map<Table, Track>();
    this.links = links.map((link) => {
      const track = tracks.get(link.table) ?? new Track();
      tracks.set(link.table, track);
      return { link, track, first: track.add(link.pieces) };
    });
  }

  /** Moves to the next link of the recording: at first to the first, and from the last back to the first. */
  nextLink(): PlayedLink | undefined {
    this.link = (this.link + 1) % this.links.length;
    const next = this.links[this.link];
    if (next === undefined) return undefined;
    this.track = next.track;
    this.moveTo(next.first);
    return next.link;
  }

  /** Moves to the next such write, from the last back to the first. Undefined: the value was never written. */
  write(handle: number, value: Buffer): Piece | undefined {
    const next = this.track.write(this.at, handle, value);
    if (next === undefined) return undefined;
    this.moveTo(next);
    return this.track.pieces[next];
  }

  /**
   * The values read in this piece: one after the other, the last repeatedly. An attribute that was not read in it has
   * the last value before it, or else the first one after it. `again` repeats the last value.
   * Undefined: the attribute was never read.
   */
  read(handle: number, again = false): ReadResult | undefined {
    const here = this.track.pieces[this.at]?.reads.get(handle);
    if (here === undefined) return this.track.read(this.at, handle);
    const next = this.taken.get(handle) ?? 0;
    const taken = again ? Math.max(0, next - 1) : next;
    this.taken.set(handle, taken + 1);
    return here[Math.min(taken, here.length - 1)];
  }

  private moveTo(place: number): void {
    this.at = place;
    this.taken = new Map();
  }
}
