/** A btsnoop capture of all controllers. Wireshark and `btmon -r` open it. */
import { createWriteStream, openSync, renameSync, rmSync, type WriteStream } from 'node:fs';
import { address } from '../../../src/bytes/index.js';
import { PacketType } from '../../../src/ble/hci/packets.js';
import { EPOCH, FILE_HEADER, RECORD_HEADER } from '../../../src/bytes/btsnoop.js';
import { DATALINK_MONITOR, Kind } from './monitor.js';

/** The index for "no controller" (HCI_DEV_NONE of the monitor's protocol). */
const NO_INDEX = 0xffff;

/** `New Index`: a primary controller on a virtual bus. */
const PRIMARY = 0;
const VIRTUAL_BUS = 0;
const NAME_LENGTH = 8;
const INDEX_BODY = 8 + NAME_LENGTH;

/** The offset of the number of dropped records. */
const DROPS_AT = 12;

const MIB = 1024 * 1024;

export interface TraceOptions {
  /** The file to write to. When it is full, it is renamed to `FILE.1`. */
  readonly file?: string;
  /** The maximum size of the file, bytes. */
  readonly limit?: number;
  /** The maximum of bytes that wait to be written; further records are dropped and counted in the next record. */
  readonly unwritten?: number;
  /** The maximum size of a snapshot, bytes. */
  readonly recent?: number;
}

export interface TraceRecord {
  readonly number: number;
  /** The index of the controller. */
  readonly index: number;
  /** One of `Kind`. */
  readonly kind: number;
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly at: number;
  /** A packet without its H4 type, or the data of a kind without packets. */
  readonly body: Buffer;
}

/** The place of a record. */
export interface TracePlace {
  readonly number: number;
  readonly at: number;
  /** The place in the file; undefined if the record was not written. */
  readonly inFile: { readonly part: number; readonly frame: number } | undefined;
}

export class Trace {
  private readonly file: string | undefined;
  private readonly limits: Required<Omit<TraceOptions, 'file'>>;
  private stream: WriteStream | undefined;
  private partsWritten: Promise<unknown> = Promise.resolve();
  /** The number of parts before this one. */
  private part = -1;
  private written = 0;
  /** The number of records in this part. */
  private frames = 0;
  /** The number of dropped records of this part. */
  private dropped = 0;
  /** The records of present controllers: each file begins with them. */
  private readonly present = new Map<number, Buffer>();
  /** The latest records, without a gap. */
  private recent: Buffer[] = [];
  /** The number of records before the latest. */
  private before = 0;
  private recentBytes = 0;
  private readonly startedAt = BigInt(Date.now()) * 1000n;
  private readonly startedTick = process.hrtime.bigint();

  constructor({ file, ...limits }: TraceOptions = {}) {
    this.limits = { limit: 64 * MIB, unwritten: 16 * MIB, recent: 4 * MIB, ...limits };
    this.file = file;
    this.openPart();
  }

  opened(index: number, controllerAddress: string, name: string): void {
    const body = Buffer.alloc(INDEX_BODY);
    body.writeUInt8(PRIMARY, 0);
    body.writeUInt8(VIRTUAL_BUS, 1);
    address.write(body, 2, controllerAddress);
    body.write(name.slice(0, NAME_LENGTH - 1), 8);
    const record = this.encode(index, Kind.newIndex, body);
    this.present.set(index, record);
    this.append(record);
  }

  closed(index: number): void {
    this.present.delete(index);
    this.append(this.encode(index, Kind.deleteIndex, Buffer.alloc(0)));
  }

  fromHost(index: number, packet: Buffer): TracePlace {
    const kind = packet[0] === PacketType.command ? Kind.command : Kind.aclFromHost;
    return this.append(this.encode(index, kind, packet.subarray(1)));
  }

  toHost(index: number, packet: Buffer): void {
    const kind = packet[0] === PacketType.event ? Kind.event : Kind.aclToHost;
    this.append(this.encode(index, kind, packet.subarray(1)));
  }

  note(text: string): void {
    this.append(this.encode(NO_INDEX, Kind.systemNote, Buffer.from(`${text}\0`)));
  }

  /** The latest records, as a complete btsnoop file; `shown` may replace the body of each record by one of the same length. */
  snapshot(shown: (record: TraceRecord) => TraceRecord = (record) => record): Buffer {
    const snapshot = new Set(this.recent);
    const present = [...this.present.values()].filter((record) => !snapshot.has(record));
    const records = [...present, ...this.recent].flatMap((record) => [
      record.subarray(0, RECORD_HEADER),
      shown(readRecord(record, 0)).body,
    ]);
    return Buffer.concat([fileHeader(), ...records]);
  }

  /** The number of the newest record; the first one is 1, as in a file of the whole trace. */
  get newest(): number {
    return this.before + this.recent.length;
  }

  /** The latest records after `number`, at most `limit`. */
  after(number: number, limit: number): readonly TraceRecord[] {
    const from = Math.max(0, number - this.before);
    return this.recent
      .slice(from, from + limit)
      .map((record, index) => readRecord(record, this.before + from + index + 1));
  }

  /** The present controllers, each as its first record; these are numbered 0. */
  controllers(): readonly TraceRecord[] {
    return [...this.present.values()].map((record) => readRecord(record, 0));
  }

  /** The file that has a record, and its number there; undefined if the file is gone. */
  find({ inFile }: TracePlace): { readonly file: string; readonly frame: number } | undefined {
    if (this.file === undefined || inFile === undefined || inFile.part < this.part - 1) return undefined;
    return { file: inFile.part === this.part ? this.file : `${this.file}.1`, frame: inFile.frame };
  }

  /** Resolves when all is written. */
  async close(): Promise<void> {
    this.endPart();
    await this.partsWritten;
  }

  private encode(index: number, kind: number, body: Buffer): Buffer {
    const record = Buffer.alloc(RECORD_HEADER + body.length);
    record.writeUInt32BE(body.length, 0);
    record.writeUInt32BE(body.length, 4);
    record.writeUInt16BE(index & 0xffff, 8);
    record.writeUInt16BE(kind, 10);
    record.writeUInt32BE(0, DROPS_AT);
    const now = this.startedAt + (process.hrtime.bigint() - this.startedTick) / 1000n;
    record.writeBigUInt64BE(EPOCH + now, 16);
    body.copy(record, RECORD_HEADER);
    return record;
  }

  private append(record: Buffer): TracePlace {
    this.recent.push(record);
    const number = this.newest;
    this.recentBytes += record.length;
    const presentBytes = this.present.size * (RECORD_HEADER + INDEX_BODY);
    if (this.recentBytes + presentBytes > this.limits.recent) this.dropOlderHalf();
    return { number, at: timeOf(record), inFile: this.write(record) };
  }

  private write(record: Buffer): TracePlace['inFile'] {
    if (this.stream === undefined) return undefined;
    if (this.stream.writableLength > this.limits.unwritten) {
      this.dropped += 1;
      return undefined;
    }
    this.stream.write(this.dropped === 0 ? record : withDrops(record, this.dropped));
    this.written += record.length;
    this.frames += 1;
    const { part, frames: frame } = this;
    if (this.written > this.limits.limit) this.openPart();
    return { part, frame };
  }

  private dropOlderHalf(): void {
    const half = this.recent.length >> 1;
    this.recent = this.recent.slice(half);
    this.before += half;
    this.recentBytes = this.recent.reduce((sum, record) => sum + record.length, 0);
  }

  /** False if no part was open. */
  private endPart(): boolean {
    const { stream, partsWritten } = this;
    if (stream === undefined) return false;
    this.stream = undefined;
    this.partsWritten = Promise.all([partsWritten, new Promise<void>((done) => stream.end(() => done()))]);
    return true;
  }

  private openPart(): void {
    const { file } = this;
    if (file === undefined) return;
    if (this.endPart()) {
      rmSync(`${file}.1`, { force: true });
      renameSync(file, `${file}.1`);
    }
    // Opened immediately: a part that is full before its file exists could not be renamed.
    const part = createWriteStream(file, { fd: openSync(file, 'w') });
    // A full disk ends the file, not the air.
    part.on('error', () => {
      if (this.stream === part) this.stream = undefined;
    });
    const head = Buffer.concat([fileHeader(), ...this.present.values()]);
    part.write(head);
    this.stream = part;
    this.part += 1;
    this.written = head.length;
    this.frames = this.present.size;
    this.dropped = 0;
  }
}

const timeOf = (record: Buffer): number => Number(record.readBigUInt64BE(16) - EPOCH) / 1000;

const readRecord = (record: Buffer, number: number): TraceRecord => ({
  number,
  index: record.readUInt16BE(8),
  kind: record.readUInt16BE(10),
  at: timeOf(record),
  body: record.subarray(RECORD_HEADER),
});

const withDrops = (record: Buffer, dropped: number): Buffer => {
  const copy = Buffer.from(record);
  copy.writeUInt32BE(dropped, DROPS_AT);
  return copy;
};

const fileHeader = (): Buffer => {
  const header = Buffer.alloc(FILE_HEADER);
  header.write('btsnoop\0', 'latin1');
  header.writeUInt32BE(1, 8);
  header.writeUInt32BE(DATALINK_MONITOR, 12);
  return header;
};
