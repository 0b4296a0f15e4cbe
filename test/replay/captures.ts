/** Captures: taken apart, put together again as others, made of single packets, and read. */
import * as E from 'fp-ts/lib/Either.js';
import { readRecording, type Recording } from '../../simulators/devices/recorded/recording.js';
import { left, right } from '../support/either.js';
import { bytes, text } from '../support/hci-host.js';
import { strap } from './golden.js';

export const FILE_HEADER = 16;
const RECORD_HEADER = 24;

export interface Raw {
  /** Controller and opcode, in the monitor's format. */
  readonly flags: number;
  readonly at: Buffer;
  readonly data: Buffer;
  readonly original?: number;
}

export const MONITOR = 2001;
export const [COMMAND, EVENT, ACL_OUT, ACL_IN] = [2, 3, 4, 5];
export const opcode = ({ flags }: Raw): number => flags & 0xffff;
export const begins = (record: Raw, hex: string): boolean => text(record.data).startsWith(hex);

export const recordsOf = (file: Buffer): readonly Raw[] => {
  const found: Raw[] = [];
  for (let at = FILE_HEADER; at < file.length;) {
    const body = at + RECORD_HEADER;
    const length = file.readUInt32BE(at + 4);
    found.push({
      flags: file.readUInt32BE(at + 8),
      at: file.subarray(at + 16, body),
      data: file.subarray(body, body + length),
    });
    at = body + length;
  }
  return found;
};

export const fileHeader = (datalink: number): Buffer =>
  Buffer.concat([Buffer.from('btsnoop\0'), Buffer.from([0, 0, 0, 1, 0, 0, datalink >> 8, datalink & 0xff])]);

export const recordBytes = ({ flags, at, data, original = data.length }: Raw): Buffer => {
  const head = Buffer.alloc(16);
  [original, data.length, flags, 0].forEach((field, index) => head.writeUInt32BE(field, index * 4));
  return Buffer.concat([head, at, data]);
};

export const fileOf = (datalink: number, records: readonly Raw[]): Buffer =>
  Buffer.concat([fileHeader(datalink), ...records.map(recordBytes)]);

/** The heart-rate strap's, without some of its records. */
export const without = (unwanted: (record: Raw) => boolean): Buffer =>
  fileOf(
    MONITOR,
    recordsOf(strap()).filter((record) => !unwanted(record)),
  );

/** The time of the strap's first record, which begins all that is made here. */
const START = 0x00e324fb554fc000n;

/** A time, milliseconds after that. */
const time = (ms: number): Buffer => {
  const at = Buffer.alloc(8);
  at.writeBigUInt64BE(START + BigInt(Math.round(ms * 1000)));
  return at;
};

export const event = (ms: number, packet: string): Raw => ({
  ...{ flags: EVENT, at: time(ms), data: bytes(packet) },
});

/** An ACL packet that begins with its handle and flags. */
export const acl = (ms: number, flags: number, packet: string): Raw => ({
  ...{ flags, at: time(ms), data: bytes(packet) },
});

const u16 = (value: number): string => Buffer.from([value & 0xff, value >> 8]).toString('hex');

/** An ATT packet on the link that `linkMade` makes. */
const att = (ms: number, flags: number, head: string, pdu: string): Raw => {
  const { length } = bytes(pdu);
  return acl(ms, flags, `${head} ${u16(length + 4)} ${u16(length)} 04 00 ${pdu}`);
};

export const fromHost = (ms: number, pdu: string): Raw => att(ms, ACL_OUT, '01 00', pdu);
export const fromDevice = (ms: number, pdu: string): Raw => att(ms, ACL_IN, '01 20', pdu);

/** LE Connection Complete of the strap, as the central. */
export const linkMade = (ms: number): Raw =>
  event(ms, '3E 13 01 00 01 00 00 01 01 00 00 EE FF C0 18 00 00 00 2A 00 00');

export const linkEnded = (ms: number): Raw => event(ms, '05 04 00 01 00 16');

/** The strap's services, characteristics and descriptors are discovered, all at once. */
export const discovery = (ms: number): readonly Raw[] => {
  const records = recordsOf(strap());
  const [first, last] = ['01 00 0b 00 07 00 04 00 10', '01 20 0a 00 06 00 04 00 05'].map((head) =>
    records.findIndex((record) => begins(record, head)),
  );
  return records.slice(first, (last ?? 0) + 1).map((record) => ({ ...record, at: time(ms) }));
};

/** A capture of these records, in the monitor's format. */
export const capture = (...records: readonly Raw[]): Buffer => fileOf(MONITOR, records);

/** A file as it is read, in parts of `size` bytes. */
export async function* chunksOf(file: Buffer, size = file.length): AsyncGenerator<E.Either<string, Buffer>> {
  await Promise.resolve();
  for (let at = 0; at < file.length; at += size) yield E.right(file.subarray(at, at + size));
}

export const recorded = async (file: Buffer, device?: string): Promise<Recording> =>
  right(await readRecording(chunksOf(file), device)());

/** Why it is refused. */
export const refusalOf = async (file: Buffer, device?: string): Promise<string> =>
  left(await readRecording(chunksOf(file), device)());
