/**
 * The files of Apple's PacketLogger, as iPhones write them too (`.pklg`): records of their length, seconds and microseconds
 * since the Unix epoch, a type, and the packet; in one byte order, big-endian or little-endian (Wireshark's
 * wiretap/packetlogger.c, BlueZ's src/shared/btsnoop.c).
 */
import * as E from 'fp-ts/lib/Either.js';
import { LONGEST_RECORD } from '../../../../src/bytes/btsnoop.js';
import { PacketType } from '../../../../src/ble/hci/packets.js';
import { u32, type ByteOrder, type Datalink, type Opening } from './format.js';

/** Length, seconds and microseconds. */
const HEADER = 12;
/** The bytes that the length does not count: its own. */
const LENGTH = 4;
const SHORTEST = HEADER - LENGTH;

/** The types that carry HCI packets of LE; the others are SCO, LMP, notes and logs of the system. */
const packetTypes: Readonly<Record<number, { readonly type: number; readonly fromHost: boolean }>> = {
  0x00: { type: PacketType.command, fromHost: true },
  0x01: { type: PacketType.event, fromHost: false },
  0x02: { type: PacketType.acl, fromHost: true },
  0x03: { type: PacketType.acl, fromHost: false },
};
const OTHER_TYPES: readonly number[] = [8, 9, 10, 11];
const FIRST_LOG_TYPE = 0xf0;

/** Type in front, then the packet. */
const datalink: Datalink = ({ data }) => {
  const kind = packetTypes[data[0] ?? 0xff];
  return kind === undefined ? [] : [{ controller: 0, ...kind, body: data.subarray(1) }];
};

/** The file has no magic: its first record must be likely. */
const begins = (file: Buffer, order: ByteOrder): boolean => {
  if (file.length <= HEADER) return false;
  const [length, microseconds, type] = [u32(file, 0, order), u32(file, 8, order), file.readUInt8(HEADER)];
  const isKind = type in packetTypes || OTHER_TYPES.includes(type) || type >= FIRST_LOG_TYPE;
  return length > SHORTEST && length <= 0xffff && microseconds < 1_000_000 && isKind;
};

export const packetLogger: Opening = (file) => {
  const order = (['BE', 'LE'] as const).find((each) => begins(file, each));
  if (order === undefined) return undefined;
  return {
    next: (bytes) => {
      if (bytes.length < HEADER) return E.right(undefined);
      const length = u32(bytes, 0, order);
      if (length < SHORTEST || length > LONGEST_RECORD)
        return E.left({ damaged: `cannot be of ${length} bytes` });
      const end = LENGTH + length;
      if (bytes.length < end) return E.right({ length: end });
      const at = u32(bytes, 4, order) * 1000 + u32(bytes, 8, order) / 1000;
      return E.right({
        length: end,
        datalink,
        packet: { flags: 0, whole: true, at, data: bytes.subarray(HEADER, end) },
      });
    },
  };
};
