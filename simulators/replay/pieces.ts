/** A recording cut at its writes: what was read and told after each of them. */
import { AttOpcode } from '../../src/ble/hci/att.js';
import { unlessShort } from '../../src/ble/hci/layout.js';
import { AttError } from './att.js';
import type { Exchange, Step } from './exchanges.js';
import { entriesOf } from './table.js';

/** How the device answered a read: with a value, or with an ATT error. */
export type Answer =
  { readonly kind: 'value'; readonly value: Buffer } | { readonly kind: 'refused'; readonly error: number };

export interface RecordedTold {
  readonly handle: number;
  readonly value: Buffer;
  /** An indication. */
  readonly confirmed: boolean;
  /** Milliseconds after the answer to the write; after the beginning of the link if there was no write. */
  readonly after: number;
}

export interface Piece {
  /** Undefined: a link began. */
  readonly write: { readonly handle: number; readonly value: Buffer } | undefined;
  /** The ATT error with which the write was refused; 0 for none. */
  readonly refused: number;
  /** By handle, in order. */
  readonly reads: Map<number, Answer[]>;
  readonly told: RecordedTold[];
}

const emptyPiece = (write: Piece['write'], refused = 0): Piece => ({
  write,
  refused,
  reads: new Map(),
  told: [],
});

const errorOf = (response: Buffer | undefined): number =>
  response?.[0] === AttOpcode.errorResponse ? (response[4] ?? AttError.unlikely) : 0;

/** Cuts one link's steps. Times are measured from the answers of the device, as the host heard them. */
class Cutting {
  readonly pieces: Piece[];
  private current = emptyPiece(undefined);
  private startedAt: number;
  /** Long writes under way, by handle (Core 5.4 Vol 3 Part F 3.4.6). */
  private prepared = new Map<number, Buffer[]>();

  constructor(steps: readonly Step[]) {
    this.pieces = [this.current];
    this.startedAt = steps[0]?.at ?? 0;
    for (const step of steps) {
      if (step.kind === 'exchange') unlessShort(() => this.exchange(step));
      else {
        const { handle, value, confirmed, at } = step;
        this.current.told.push({ handle, value, confirmed, after: Math.max(0, at - this.startedAt) });
      }
    }
  }

  private exchange({ request, response, at }: Exchange): void {
    const error = errorOf(response);
    const handle = request.length >= 3 ? request.readUInt16LE(1) : 0;
    switch (request.readUInt8(0)) {
      case AttOpcode.writeRequest:
        // Without an answer nobody knows whether the device took it.
        if (response !== undefined) this.begin({ handle, value: request.subarray(3) }, error, at);
        break;
      case AttOpcode.writeCommand:
        this.begin({ handle, value: request.subarray(3) }, 0, at);
        break;
      case AttOpcode.prepareWriteRequest:
        if (error === 0) {
          this.prepared.set(handle, [...(this.prepared.get(handle) ?? []), request.subarray(5)]);
        }
        break;
      case AttOpcode.executeWriteRequest:
        for (const [prepared, parts] of request[1] === 0 ? [] : this.prepared) {
          this.begin({ handle: prepared, value: Buffer.concat(parts) }, error, at);
        }
        this.prepared = new Map();
        break;
      case AttOpcode.readRequest:
        if (response !== undefined) this.answered(handle, error, response.subarray(1));
        break;
      case AttOpcode.readBlobRequest:
        if (response !== undefined && error === 0) {
          this.goesOn(handle, request.readUInt16LE(3), response.subarray(1));
        }
        break;
      case AttOpcode.readByTypeRequest:
        for (const entry of response === undefined || error !== 0 ? [] : entriesOf(response)) {
          this.answered(entry.readUInt16LE(0), 0, entry.subarray(2));
        }
        break;
    }
  }

  private begin(write: NonNullable<Piece['write']>, refused: number, at: number): void {
    this.current = emptyPiece(write, refused);
    this.startedAt = at;
    this.pieces.push(this.current);
  }

  private answered(handle: number, error: number, value: Buffer): void {
    const answer: Answer = error === 0 ? { kind: 'value', value } : { kind: 'refused', error };
    this.current.reads.set(handle, [...(this.current.reads.get(handle) ?? []), answer]);
  }

  /** The rest of a value that did not fit one packet. */
  private goesOn(handle: number, offset: number, rest: Buffer): void {
    const last = this.current.reads.get(handle)?.at(-1);
    if (last?.kind !== 'value' || last.value.length !== offset) return;
    this.current.reads.get(handle)?.pop();
    this.answered(handle, 0, Buffer.concat([last.value, rest]));
  }
}

/** The pieces of one link, the first of which begins with the link itself. */
export const piecesOf = (steps: readonly Step[]): readonly Piece[] => new Cutting(steps).pieces;

/** Where in the recording the device is: links and writes move it, reads ask it. */
export class Head {
  private at = 0;
  /** How many reads of a handle this piece has answered. */
  private taken = new Map<number, number>();

  constructor(private readonly pieces: readonly Piece[]) {}

  /** To the next link of the recording, or from the last one back to the first. */
  link(): Piece | undefined {
    return this.move(({ write }) => write === undefined);
  }

  /** To the next place where this was written, from the last one back to the first. Undefined: it never was. */
  write(handle: number, value: Buffer): Piece | undefined {
    return this.move(({ write }) => write?.handle === handle && write.value.equals(value));
  }

  /**
   * What was read here: one value after the other, the last one for good. What was not read in this piece answers
   * the last value before it, or else the first one after it. `again` answers what was answered last.
   * Undefined: it was never read.
   */
  read(handle: number, again = false): Answer | undefined {
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

  private move(wanted: (piece: Piece) => boolean): Piece | undefined {
    const { pieces, at } = this;
    const ahead = pieces.findIndex((piece, index) => index > at && wanted(piece));
    const found = ahead < 0 ? pieces.findIndex(wanted) : ahead;
    if (found < 0) return undefined;
    this.at = found;
    this.taken = new Map();
    return pieces[found];
  }
}
