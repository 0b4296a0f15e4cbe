/** The HCI packets of captures, as their bytes arrive. */
import * as E from 'fp-ts/lib/Either.js';
import { btsnoop } from './btsnoop.js';
import {
  RECOGNISED,
  type Block,
  type FilePacket,
  type Format,
  type HciPacket,
  type Problem,
} from './format.js';
import { otherFile, zip } from './other-files.js';
import { packetLogger } from './packet-logger.js';
import { pcap } from './pcap.js';
import { pcapng } from './pcapng.js';

/** One HCI packet of a capture. */
export interface HciRecord extends HciPacket, Pick<FilePacket, 'whole' | 'at'> {
  /** The place of its record in the file, from 1. */
  readonly number: number;
}

/** A file in chunks of any length; a Left says why it cannot be read further. */
export type Chunks = AsyncIterable<E.Either<string, Buffer>>;

const formatOf = (file: Buffer): E.Either<string, Format> => {
  for (const opening of [btsnoop, pcap, pcapng, packetLogger, zip]) {
    const format = opening(file);
    if (format !== undefined) return E.right(format);
  }
  return E.left(otherFile(file));
};

/** Cuts a file into blocks as its bytes arrive, and keeps at most one incomplete block. */
class Cutter {
  private format: Format | undefined;
  private chunks: Buffer[] = [];
  /** The number of bytes in `chunks`. */
  private arrived = 0;
  /** How many bytes must have arrived before the next block can be read. */
  private needed = RECOGNISED;
  /** Where `chunks` begin in the file. */
  private at = 0;
  private number = 1;

  constructor(private readonly take: (record: HciRecord) => void) {}

  push(chunk: Buffer): E.Either<string, void> {
    this.chunks.push(chunk);
    this.arrived += chunk.length;
    return this.arrived < this.needed ? E.right(undefined) : this.blocks();
  }

  end(): E.Either<string, void> {
    const read = this.blocks();
    if (E.isLeft(read)) return read;
    const refused = this.format?.end?.();
    if (refused !== undefined) return E.left(refused);
    return this.arrived === 0 ? E.right(undefined) : this.broken('it is cut short', 'is incomplete', 'whole');
  }

  private blocks(): E.Either<string, void> {
    const pending = Buffer.concat(this.chunks);
    if (this.format === undefined) {
      const format = formatOf(pending);
      if (E.isLeft(format)) return format;
      this.format = format.right;
    }
    let read = 0;
    for (;;) {
      const rest = pending.subarray(read);
      const next = rest.length === 0 ? E.right(undefined) : this.format.next(rest);
      const block = E.isRight(next) ? next.right : undefined;
      if (block === undefined || block.length > rest.length) {
        this.chunks = [rest];
        this.arrived = rest.length;
        this.needed = block?.length ?? rest.length + 1;
        this.at += read;
        return E.isLeft(next) ? this.problem(next.left) : E.right(undefined);
      }
      this.records(block);
      read += block.length;
    }
  }

  private records({ packet, datalink }: Block): void {
    if (packet === undefined) return;
    const { whole, at } = packet;
    for (const content of datalink?.(packet) ?? []) {
      this.take({ number: this.number, whole, at, ...content });
    }
    this.number += 1;
  }

  private problem(problem: Problem): E.Either<string, never> {
    return 'refused' in problem
      ? E.left(problem.refused)
      : this.broken('it is damaged', problem.damaged, 'before it');
  }

  private broken(problem: string, detail: string, records: string): E.Either<string, never> {
    const kept = `; \`head -c ${this.at} FILE\` keeps the records that are ${records}`;
    return E.left(
      `${problem}: record ${this.number}, at byte ${this.at}, ${detail}${this.number === 1 ? '' : kept}`,
    );
  }
}

/** Calls `take` with each packet of a capture, in order. Left: a message that says why it cannot be read. */
export const readCapture = async (
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
