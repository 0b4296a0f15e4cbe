/**
 * btsnoop files: a header of 16 bytes, then records of 24 bytes and a packet, all big-endian, as in RFC 1761
 * (snoop); times are microseconds since the year 0. The datalink defines the meaning of flags and packets.
 */
export const FILE_HEADER = 16;
export const RECORD_HEADER = 24;

/** Microseconds from the year 0 to the Unix epoch. */
export const EPOCH = 0x00dcddb30f2f8000n;

/** The longest HCI packet, ACL data, has 65,540 bytes: a record of more bytes than this is damaged. */
export const LONGEST_RECORD = 256 * 1024;

/** One record of a capture, a packet or not. */
export interface BtsnoopRecord {
  /** The datalink defines their meaning. */
  readonly flags: number;
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly at: number;
  readonly data: Buffer;
  /** False if the capture kept only the beginning of the packet. */
  readonly whole: boolean;
  /** Header and data. */
  readonly bytes: Buffer;
}

/** The record at `at`. Undefined: it is incomplete or damaged. */
export const recordAt = (bytes: Buffer, at: number): BtsnoopRecord | undefined => {
  if (at + RECORD_HEADER > bytes.length) return undefined;
  const length = bytes.readUInt32BE(at + 4);
  const end = at + RECORD_HEADER + length;
  if (length > LONGEST_RECORD || end > bytes.length) return undefined;
  return {
    flags: bytes.readUInt32BE(at + 8),
    at: Number(bytes.readBigUInt64BE(at + 16) - EPOCH) / 1000,
    data: bytes.subarray(at + RECORD_HEADER, end),
    whole: length === bytes.readUInt32BE(at),
    bytes: bytes.subarray(at, end),
  };
};

/** The records in `bytes`, which follow the header of a file, up to the first that is incomplete or damaged. */
export function* recordsIn(bytes: Buffer): Generator<BtsnoopRecord> {
  let at = 0;
  for (let record = recordAt(bytes, at); record !== undefined; record = recordAt(bytes, at)) {
    yield record;
    at += record.bytes.length;
  }
}
