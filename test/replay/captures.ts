/** Captures: of a heart-rate strap, or made of its parts and of single packets. */
import * as E from 'fp-ts/lib/Either.js';
import { readCapture, type HciRecord } from '../../simulators/devices/recorded/captures/capture.js';
import { readRecording, type Recording } from '../../simulators/devices/recorded/recording.js';
import type { Report } from '../../simulators/ble/advertising-reports.js';
import { left, right } from '../support/either.js';
import { bytes, text } from '../support/hci-host.js';
import { rows } from '../support/rows.js';

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

export const fileHeader = (datalink: number): Buffer =>
  Buffer.concat([Buffer.from('btsnoop\0'), Buffer.from([0, 0, 0, 1, 0, 0, datalink >> 8, datalink & 0xff])]);

/** A record: its length twice, controller and opcode, drops, time (BlueZ's doc/btsnoop.txt). */
export const recordBytes = ({ flags, at, data, original = data.length }: Raw): Buffer => {
  const head = Buffer.alloc(16);
  [original, data.length, flags, 0].forEach((field, index) => head.writeUInt32BE(field, index * 4));
  return Buffer.concat([head, at, data]);
};

export const fileOf = (datalink: number, records: readonly Raw[]): Buffer =>
  Buffer.concat([fileHeader(datalink), ...records.map(recordBytes)]);

/** A capture of these records, in the monitor's format. */
export const capture = (...records: readonly Raw[]): Buffer => fileOf(MONITOR, records);

/** The time of the first record of each capture. */
const START = 0x00e324fb554fc000n;

/** A packet `ms` milliseconds after `START`; an ACL packet begins with handle and flags. */
export const record = (ms: number, flags: number, packet: string): Raw => {
  const at = Buffer.alloc(8);
  at.writeBigUInt64BE(START + BigInt(Math.round(ms * 1000)));
  return { flags, at, data: bytes(packet) };
};

const kinds: Readonly<Record<string, number>> = {
  ...{ note: 0xffff000c, index: 0, command: COMMAND, event: EVENT },
  ...{ 'to device': ACL_OUT, 'from device': ACL_IN },
};

/** A host finds a heart-rate strap, discovers, reads, subscribes, writes, and disconnects. */
export const STRAP: readonly Raw[] = rows(
  4,
  `
    0 | note | 4C 69 6E 75 78 20 76 65 72 73 69 6F 6E 20 36 2E 31 32 00 | System note: not a packet
    0 | index | 00 01 13 71 DA 7D 1A 00 68 63 69 30 00 00 00 00 | New Index: primary, USB, 00:1A:7D:DA:71:13, hci0
    1 | command | 0C 20 02 01 00 | Command: LE Set Scan Enable
    20 | event | 3E 13 02 01 00 01 01 00 00 EE FF C0 07 02 01 06 03 03 0D 18 C4 | Legacy report, ADV_IND, random C0:FF:EE:00:00:01: flags, service 180D
    21 | event | 3E 13 02 01 04 01 01 00 00 EE FF C0 07 06 09 53 74 72 61 70 C4 | Legacy report, SCAN_RSP: name "Strap"
    22 | event | 3E 1D 0D 01 13 00 00 01 02 03 04 05 06 01 00 FF 7F C0 00 00 00 00 00 00 00 00 00 03 02 01 06 | Extended report of another device, 06:05:04:03:02:01: no link, of no interest
    100 | event | 3E 13 01 00 01 00 00 01 01 00 00 EE FF C0 18 00 00 00 2A 00 00 | LE Connection Complete: handle 1, central
    110 | to device | 01 00 07 00 03 00 04 00 02 05 02 | Exchange MTU Request 517
    120 | from device | 01 20 07 00 03 00 04 00 03 41 00 | Exchange MTU Response 65
    130 | to device | 01 00 0B 00 07 00 04 00 10 01 00 FF FF 00 28 | Read By Group Type Request 0x0001 to 0xFFFF, 2800
    140 | from device | 01 20 0A 00 0E 00 04 00 11 06 01 00 05 00 | Read By Group Type Response, first fragment: 1800 at 0x0001 to 0x0005
    140 | from device | 01 10 08 00 00 18 10 00 17 00 0D 18 | second fragment: 180D at 0x0010 to 0x0017
    150 | to device | 01 00 0B 00 07 00 04 00 10 18 00 FF FF 00 28 | Read By Group Type Request 0x0018 to 0xFFFF
    160 | from device | 01 20 09 00 05 00 04 00 01 10 18 00 0A | Error: Attribute Not Found
    170 | to device | 01 00 0B 00 07 00 04 00 08 01 00 05 00 03 28 | Read By Type Request 0x0001 to 0x0005, 2803
    180 | from device | 01 20 0D 00 09 00 04 00 09 07 02 00 02 03 00 00 2A | 2A00 at 0x0003, read
    190 | to device | 01 00 0B 00 07 00 04 00 08 10 00 17 00 03 28 | Read By Type Request 0x0010 to 0x0017, 2803
    200 | from device | 01 20 1B 00 17 00 04 00 09 07 11 00 10 12 00 37 2A 14 00 02 15 00 38 2A 16 00 08 17 00 39 2A | 2A37 at 0x0012 notify, 2A38 at 0x0015 read, 2A39 at 0x0017 write
    210 | to device | 01 00 09 00 05 00 04 00 04 13 00 13 00 | Find Information Request 0x0013 to 0x0013
    220 | from device | 01 20 0A 00 06 00 04 00 05 01 13 00 02 29 | 0x0013 is 2902
    230 | to device | 01 00 07 00 03 00 04 00 0A 03 00 | Read Request 0x0003
    240 | from device | 01 20 0A 00 06 00 04 00 0B 53 74 72 61 70 | "Strap"
    250 | to device | 01 00 07 00 03 00 04 00 0A 15 00 | Read Request 0x0015
    260 | from device | 01 20 06 00 02 00 04 00 0B 01 | 01
    300 | to device | 01 00 09 00 05 00 04 00 12 13 00 01 00 | Write Request 0x0013: notifications
    320 | from device | 01 20 05 00 01 00 04 00 13 | Write Response
    820 | from device | 01 20 09 00 05 00 04 00 1B 12 00 00 48 | Notification 0x0012: 00 48
    1320 | from device | 01 20 09 00 05 00 04 00 1B 12 00 00 49 | Notification 0x0012: 00 49
    1500 | to device | 01 00 08 00 04 00 04 00 12 17 00 01 | Write Request 0x0017: 01
    1520 | from device | 01 20 05 00 01 00 04 00 13 | Write Response
    1560 | from device | 01 20 0B 00 07 00 04 00 1B 12 00 08 4A 00 00 | Notification 0x0012: 08 4A 00 00
    1600 | to device | 01 00 07 00 03 00 04 00 0A 15 00 | Read Request 0x0015
    1620 | from device | 01 20 06 00 02 00 04 00 0B 02 | 02
    1700 | to device | 01 00 08 00 04 00 04 00 12 17 00 02 | Write Request 0x0017: 02
    1720 | from device | 01 20 09 00 05 00 04 00 01 12 17 00 80 | Error 0x80
    1800 | event | 05 04 00 01 00 16 | Disconnection Complete: handle 1, ended by this host
  `,
).map(([ms, kind, packet]) => record(Number(ms), kinds[kind] ?? Number.NaN, packet));

export const strap = (): Buffer => capture(...STRAP);

/** The strap's capture without some of its records. */
export const without = (unwanted: (record: Raw) => boolean): Buffer =>
  capture(...STRAP.filter((packet) => !unwanted(packet)));

const u16 = (value: number): string => Buffer.from([value & 0xff, value >> 8]).toString('hex');

/** An ATT packet on the link that `linkMade` makes. */
const att = (ms: number, flags: number, head: string, pdu: string): Raw => {
  const { length } = bytes(pdu);
  return record(ms, flags, `${head} ${u16(length + 4)} ${u16(length)} 04 00 ${pdu}`);
};

export const fromHost = (ms: number, pdu: string): Raw => att(ms, ACL_OUT, '01 00', pdu);
export const fromDevice = (ms: number, pdu: string): Raw => att(ms, ACL_IN, '01 20', pdu);

/** LE Connection Complete of the strap, as the central. */
export const linkMade = (ms: number): Raw =>
  record(ms, EVENT, '3E 13 01 00 01 00 00 01 01 00 00 EE FF C0 18 00 00 00 2A 00 00');

export const linkEnded = (ms: number): Raw => record(ms, EVENT, '05 04 00 01 00 16');

/** The discovery of the strap's services, characteristics and descriptors, all at `ms`. */
export const discovery = (ms: number): readonly Raw[] => {
  const [first, last] = ['01 00 0b 00 07 00 04 00 10', '01 20 0a 00 06 00 04 00 05'].map((head) =>
    STRAP.findIndex((packet) => begins(packet, head)),
  );
  return STRAP.slice(first, (last ?? 0) + 1).map(({ flags, data }) => record(ms, flags, text(data)));
};

/** Records with the bytes `is` in place of `was`. */
export const altered = (records: readonly Raw[], was: string, is: string): readonly Raw[] =>
  records.map((packet) => {
    const at = packet.data.indexOf(bytes(was));
    if (at < 0) return packet;
    const data = Buffer.from(packet.data);
    bytes(is).copy(data, at);
    return { ...packet, data };
  });

/** A controller's report of an advertisement. */
export const report = (at: number, address: string, data: Buffer): Report => ({
  ...{ address, addressType: 'random', resolved: false, response: false, rssi: -60, more: false, at, data },
});

/** A file in chunks of `size` bytes. */
export async function* chunksOf(file: Buffer, size = file.length): AsyncGenerator<E.Either<string, Buffer>> {
  await Promise.resolve();
  for (let at = 0; at < file.length; at += size) yield E.right(file.subarray(at, at + size));
}

export const recorded = async (file: Buffer, device?: string): Promise<Recording> =>
  right(await readRecording(chunksOf(file), device)());

/** The reason why a capture is refused. */
export const refusalOf = async (file: Buffer, device?: string): Promise<string> =>
  left(await readRecording(chunksOf(file), device)());

/** The HCI packets of a capture. */
export const recordsOf = async (file: Buffer): Promise<readonly HciRecord[]> => {
  const records: HciRecord[] = [];
  right(await readCapture(chunksOf(file), (record) => records.push(record)));
  return records;
};

/** Each HCI packet in a line: its direction, its H4 type and its bytes. */
export const linesOf = (records: readonly HciRecord[]): readonly string[] =>
  records.map(({ fromHost, type, body }) => `${fromHost ? '<' : '>'} ${type} ${text(body)}`);
