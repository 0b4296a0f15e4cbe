/** The forms of captures: files of blocks, and the Bluetooth packets in them. */
import type * as E from 'fp-ts/lib/Either.js';

/** One HCI packet. */
export interface HciPacket {
  /** The index of the host's controller; always 0 in a capture of a single controller. */
  readonly controller: number;
  readonly fromHost: boolean;
  /** The H4 type of the packet. */
  readonly type: number;
  /** The packet without its type. A view of the chunk that was read: copy the part that is kept, so that the chunk is freed. */
  readonly body: Buffer;
}

/** A packet of a file, in the form of its datalink. */
export interface FilePacket {
  /** The datalink defines their meaning. */
  readonly flags: number;
  readonly data: Buffer;
  /** False if the capture kept only the beginning of the packet. */
  readonly whole: boolean;
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly at: number;
}

/** The HCI packets in a packet of a file, or for a packet of the air those that a controller would send its host. */
export type Datalink = (packet: FilePacket) => readonly HciPacket[];

/** A part of a file; without a packet a header or a comment. */
export interface Block {
  /** Bytes; the file may have fewer. */
  readonly length: number;
  /** Undefined also if the file ends before the end of the block. */
  readonly packet?: FilePacket;
  readonly datalink?: Datalink | undefined;
}

/** Damaged: at this block, after others that can be read. Refused: the file as a whole. */
export type Problem = { readonly damaged: string } | { readonly refused: string };

export interface Format {
  /** The block at the beginning of `bytes`. Undefined: not even its length has arrived. */
  next(bytes: Buffer): E.Either<Problem, Block | undefined>;
  /** The reason to refuse a file that was read to its end; undefined: it is a capture. */
  end?(): string | undefined;
}

/** The bytes by which a format, or another file, is recognised. */
export const RECOGNISED = 128;

/** A format if `bytes`, the first `RECOGNISED` or the whole file, are its beginning. */
export type Opening = (bytes: Buffer) => Format | undefined;

export type ByteOrder = 'BE' | 'LE';

export const u32 = (from: Buffer, at: number, order: ByteOrder): number =>
  order === 'BE' ? from.readUInt32BE(at) : from.readUInt32LE(at);

export const u16 = (from: Buffer, at: number, order: ByteOrder): number =>
  order === 'BE' ? from.readUInt16BE(at) : from.readUInt16LE(at);

/** The byte order in which the four bytes at `at` are one of `numbers`. */
export const orderOf = (from: Buffer, at: number, numbers: readonly number[]): ByteOrder | undefined =>
  (['BE', 'LE'] as const).find((order) => from.length >= at + 4 && numbers.includes(u32(from, at, order)));
