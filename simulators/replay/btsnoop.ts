/**
 * btsnoop files: a header of 16 bytes, then records of 24 bytes and a packet, all big-endian, as RFC 1761 (snoop) has
 * them; times are microseconds since the year 0. The datalink says what flags and packets mean.
 */
import * as E from 'fp-ts/lib/Either.js';
import { PacketType } from '../../src/ble/hci/packets.js';

/** One HCI packet of a capture. */
export interface HciRecord {
  /** Its place in the file, from 1. */
  readonly number: number;
  /** Which of the host's controllers; always 0 in a capture of one. */
  readonly controller: number;
  readonly fromHost: boolean;
  /** H4 type byte first. */
  readonly packet: Buffer;
  /** False if the capture kept only the beginning of it. */
  readonly whole: boolean;
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly at: number;
}

const MAGIC = 'btsnoop\0';
const FILE_HEADER = 16;
const RECORD_HEADER = 24;
const VERSION = 1;

/** Microseconds from the year 0 to the Unix epoch. */
const EPOCH = 0x00dcddb30f2f8000n;

/** What the flags and the bytes of a record say: controller, direction, packet. Undefined: no HCI packet. */
type Datalink = (
  flags: number,
  data: Buffer,
) => Pick<HciRecord, 'controller' | 'fromHost' | 'packet'> | undefined;

const RECEIVED = 0b01;

/** Plain H4, as Android writes it: the type byte in front, the direction in bit 0 of the flags. */
const h4: Datalink = (flags, packet) =>
  packet.length === 0 ? undefined : { controller: 0, fromHost: (flags & RECEIVED) === 0, packet };

/** Opcodes of the Linux monitor channel that carry packets; the others tell of controllers and programs. */
const monitorKinds: Readonly<Record<number, { readonly type: number; readonly fromHost: boolean }>> = {
  2: { type: PacketType.command, fromHost: true },
  3: { type: PacketType.event, fromHost: false },
  4: { type: PacketType.acl, fromHost: true },
  5: { type: PacketType.acl, fromHost: false },
};

/** The Linux monitor's, as btmon writes it: the controller in the upper half of the flags, an opcode in the lower. */
const monitor: Datalink = (flags, data) => {
  const kind = monitorKinds[flags & 0xffff];
  return (
    kind && {
      controller: flags >>> 16,
      fromHost: kind.fromHost,
      packet: Buffer.concat([Buffer.from([kind.type]), data]),
    }
  );
};

const datalinks: Readonly<Record<number, Datalink>> = { 1002: h4, 2001: monitor };

/** Left: a sentence. */
const readHeader = (file: Buffer): E.Either<string, Datalink> => {
  if (file.length < FILE_HEADER || file.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    return E.left('it is not a btsnoop file: it does not begin with "btsnoop" and a zero byte');
  }
  const version = file.readUInt32BE(8);
  if (version !== VERSION) return E.left(`its btsnoop version must be ${VERSION}, got ${version}`);
  const link = file.readUInt32BE(12);
  const datalink = datalinks[link];
  return datalink === undefined
    ? E.left(`its datalink must be 1002 (H4) or 2001 (Linux monitor), got ${link}`)
    : E.right(datalink);
};

/** Reads a capture, whole. Left: a sentence that says why it cannot be read. */
export const readBtsnoop = (file: Buffer): E.Either<string, readonly HciRecord[]> => {
  const datalink = readHeader(file);
  if (E.isLeft(datalink)) return datalink;
  const records: HciRecord[] = [];
  let at = FILE_HEADER;
  for (let number = 1; at < file.length; number += 1) {
    const body = at + RECORD_HEADER;
    const length = body <= file.length ? file.readUInt32BE(at + 4) : 0;
    if (body + length > file.length) {
      return E.left(
        `it is cut short: record ${number}, at byte ${at}, is not all there; ` +
          `\`head -c ${at} FILE\` keeps the records that are whole`,
      );
    }
    const content = datalink.right(file.readUInt32BE(at + 8), file.subarray(body, body + length));
    if (content !== undefined) {
      const whole = length === file.readUInt32BE(at);
      records.push({
        number,
        whole,
        at: Number(file.readBigUInt64BE(at + 16) - EPOCH) / 1000,
        ...content,
      });
    }
    at = body + length;
  }
  return E.right(records);
};
