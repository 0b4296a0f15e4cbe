/** The HCI packets of btsnoop files, as their bytes arrive. */
import * as E from 'fp-ts/lib/Either.js';
import { FILE_HEADER, LONGEST_RECORD, RECORD_HEADER, recordsIn } from '../../../src/bytes/btsnoop.js';
import { DATALINK_MONITOR, packetKinds } from '../../radio/medium/monitor.js';
import { foreignFormat } from './foreign.js';

/** One HCI packet of a capture. */
export interface HciRecord {
  /** Its place in the file, from 1. */
  readonly number: number;
  /** The index of the host's controller; always 0 in a capture of a single controller. */
  readonly controller: number;
  readonly fromHost: boolean;
  /** The H4 type of the packet. */
  readonly type: number;
  /** The packet without its type. A view of the chunk that was read: copy the part that is kept, so that the chunk is freed. */
  readonly body: Buffer;
  /** False if the capture kept only the beginning of the packet. */
  readonly whole: boolean;
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly at: number;
}

/** The longest gap of a replay, milliseconds: a recorded clock that was set jumps by weeks, and devices may notify once an hour. */
const LONGEST_GAP_MS = 60 * 60 * 1000;

/** How long a replay waits between two times of a capture, milliseconds; 0 where its clock went back. */
export const gapBetween = (from: number, to: number): number =>
  Math.min(Math.max(0, to - from), LONGEST_GAP_MS);

/** A file in chunks of any length; a Left says why it cannot be read further. */
export type Chunks = AsyncIterable<E.Either<string, Buffer>>;

const MAGIC = 'btsnoop\0';
const VERSION = 1;

/** The HCI packet of a record, by its flags and bytes. Undefined: the record has no packet. */
type Datalink = (
  flags: number,
  data: Buffer,
) => Pick<HciRecord, 'controller' | 'fromHost' | 'type' | 'body'> | undefined;

const RECEIVED = 0b01;

/** Plain H4, as Android writes it: the type byte in front, the direction in bit 0 of the flags. */
const h4: Datalink = (flags, data) => {
  const [type] = data;
  return type === undefined
    ? undefined
    : { controller: 0, fromHost: (flags & RECEIVED) === 0, type, body: data.subarray(1) };
};

/** The format of the Linux monitor, as btmon writes it: the controller in the upper half of the flags, an opcode in the lower. */
const monitor: Datalink = (flags, body) => {
  const kind = packetKinds[flags & 0xffff];
  return kind && { controller: flags >>> 16, ...kind, body };
};

const datalinks: Readonly<Record<number, Datalink>> = { 1002: h4, [DATALINK_MONITOR]: monitor };

const readHeader = (file: Buffer): E.Either<string, Datalink> => {
  if (file.length < FILE_HEADER || file.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    return E.left(
      foreignFormat(file) ?? 'it is not a btsnoop file: it does not begin with "btsnoop" and a zero byte',
    );
  }
  const version = file.readUInt32BE(8);
  if (version !== VERSION) return E.left(`its btsnoop version must be ${VERSION}, got ${version}`);
  const link = file.readUInt32BE(12);
  const datalink = datalinks[link];
  return datalink === undefined
    ? E.left(`its datalink must be 1002 (H4) or 2001 (Linux monitor), got ${link}`)
    : E.right(datalink);
};

/** Cuts a file into records as its bytes arrive, and keeps at most one incomplete record. */
class Cutter {
  private datalink: Datalink | undefined;
  private pending: Buffer = Buffer.alloc(0);
  /** Where `pending` begins in the file. */
  private at = 0;
  private number = 1;

  constructor(private readonly take: (record: HciRecord) => void) {}

  push(chunk: Buffer): E.Either<string, void> {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    if (this.datalink === undefined) {
      if (this.pending.length < FILE_HEADER) return E.right(undefined);
      const header = readHeader(this.pending);
      if (E.isLeft(header)) return header;
      this.datalink = header.right;
      this.drop(FILE_HEADER);
    }
    return this.records(this.datalink);
  }

  end(): E.Either<string, void> {
    if (this.datalink === undefined) return E.map(() => undefined)(readHeader(this.pending));
    return this.pending.length === 0
      ? E.right(undefined)
      : this.broken('it is cut short', 'is incomplete', 'whole');
  }

  private records(datalink: Datalink): E.Either<string, void> {
    let read = 0;
    for (const { flags, at, data, whole, bytes } of recordsIn(this.pending)) {
      const content = datalink(flags, data);
      if (content !== undefined) this.take({ number: this.number, whole, at, ...content });
      read += bytes.length;
      this.number += 1;
    }
    this.drop(read);
    const length = this.pending.length < RECORD_HEADER ? 0 : this.pending.readUInt32BE(4);
    return length > LONGEST_RECORD
      ? this.broken('it is damaged', `cannot be of ${length} bytes`, 'before it')
      : E.right(undefined);
  }

  private drop(bytes: number): void {
    this.pending = this.pending.subarray(bytes);
    this.at += bytes;
  }

  private broken(problem: string, detail: string, records: string): E.Either<string, never> {
    return E.left(
      `${problem}: record ${this.number}, at byte ${this.at}, ${detail}; ` +
        `\`head -c ${this.at} FILE\` keeps the records that are ${records}`,
    );
  }
}

/** Calls `take` with each packet of a capture, in order. Left: a message that says why it cannot be read. */
export const readBtsnoop = async (
  chunks: Chunks,
  take: (record: HciRecord) => void,
): Promise<E.Either<string, void>> => {
  const cutter = new Cutter(take);
  for await (const chunk of chunks) {
    const read = E.isLeft(chunk) ? chunk : cutter.push(chunk.right);
    if (E.isLeft(read)) return read;
  }
  return cutter.end();
};
