/** The strap's capture in every form of capture, written here as the documents of the forms describe them. */
import { EPOCH } from '../../src/bytes/btsnoop.js';
import { bytes } from '../support/hci-host.js';
import { ACL_IN, ACL_OUT, COMMAND, EVENT, STRAP, fileOf, opcode, strap, type Raw } from './captures.js';

type Order = 'BE' | 'LE';

const u32 = (order: Order, ...values: readonly number[]): Buffer => {
  const to = Buffer.alloc(4 * values.length);
  values.forEach((value, at) =>
    order === 'BE' ? to.writeUInt32BE(value, at * 4) : to.writeUInt32LE(value, at * 4),
  );
  return to;
};

const u16 = (order: Order, ...values: readonly number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const [high, low] = [value >> 8, value & 0xff];
      return Buffer.from(order === 'BE' ? [high, low] : [low, high]);
    }),
  );

/** Microseconds since the Unix epoch. */
const timeOf = ({ at }: Raw): number => Number(at.readBigUInt64BE() - EPOCH);
const seconds = (at: number): number => Math.floor(at / 1e6);

interface Hci {
  readonly raw: Raw;
  readonly type: number;
  readonly fromHost: boolean;
}

const kinds: Readonly<Record<number, Omit<Hci, 'raw'>>> = {
  [COMMAND]: { type: 1, fromHost: true },
  [EVENT]: { type: 4, fromHost: false },
  [ACL_OUT]: { type: 2, fromHost: true },
  [ACL_IN]: { type: 2, fromHost: false },
};

/** The HCI packets among the records of the Linux monitor. */
const packets: readonly Hci[] = STRAP.flatMap((raw) => {
  const kind = kinds[opcode(raw)];
  return kind === undefined ? [] : [{ raw, ...kind }];
});

const h4Of = ({ type, raw }: Hci): Buffer => Buffer.concat([Buffer.from([type]), raw.data]);

const packetLogger = (order: Order): Buffer =>
  Buffer.concat(
    packets.map((packet) => {
      const { raw, fromHost } = packet;
      const type = { 1: 0x00, 4: 0x01, 2: fromHost ? 0x02 : 0x03 }[packet.type] ?? 0xfc;
      const at = timeOf(raw);
      return Buffer.concat([
        u32(order, 9 + raw.data.length, seconds(at), at % 1e6),
        Buffer.from([type]),
        raw.data,
      ]);
    }),
  );

/** A pcap with microseconds, or with nanoseconds. */
export const pcap = (
  linkType: number,
  contents: readonly (readonly [number, Buffer])[],
  order: Order = 'LE',
  nanoseconds = false,
): Buffer =>
  Buffer.concat([
    u32(order, nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4),
    u16(order, 2, 4),
    u32(order, 0, 0, 65535, linkType),
    ...contents.flatMap(([at, data]) => [
      u32(order, seconds(at), (at % 1e6) * (nanoseconds ? 1000 : 1), data.length, data.length),
      data,
    ]),
  ]);

const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);

export const block = (type: number, body: Buffer, order: Order = 'LE'): Buffer => {
  const content = padded(body);
  const length = u32(order, content.length + 12);
  return Buffer.concat([u32(order, type), length, content, length]);
};

export const section = (order: Order = 'LE'): Buffer =>
  block(0x0a0d0d0a, Buffer.concat([u32(order, 0x1a2b3c4d), u16(order, 1, 0), Buffer.alloc(8, 0xff)]), order);

export const interfaceBlock = (linkType: number, options = Buffer.alloc(0), order: Order = 'LE'): Buffer =>
  block(1, Buffer.concat([u16(order, linkType, 0), u32(order, 0), options]), order);

/** An enhanced packet block of interface `from`; `units` of time. */
export const enhanced = (
  from: number,
  units: bigint,
  data: Buffer,
  options = Buffer.alloc(0),
  order: Order = 'LE',
): Buffer =>
  block(
    6,
    Buffer.concat([
      u32(order, from, Number(units >> 32n), Number(units & 0xffffffffn), data.length, data.length),
      padded(data),
      options,
    ]),
    order,
  );

const timed = (contentOf: (packet: Hci) => Buffer): readonly (readonly [number, Buffer])[] =>
  packets.map((packet) => [timeOf(packet.raw), contentOf(packet)]);

const withDirection = (packet: Hci): Buffer =>
  Buffer.concat([u32('BE', packet.fromHost ? 0 : 1), h4Of(packet)]);

/** Big-endian, nanoseconds, after blocks that hold no packets; times are seconds too early by the offset of the interface. */
const nanosecondPcapng = (): Buffer => {
  const options = Buffer.concat([
    ...[u16('BE', 9, 1), Buffer.from([9, 0, 0, 0])],
    ...[u16('BE', 14, 8), u32('BE', 0, 1000), u16('BE', 0, 0)],
  ]);
  return Buffer.concat([
    ...[section('BE'), interfaceBlock(201, options, 'BE'), block(5, Buffer.alloc(12), 'BE')],
    ...packets.map((packet) => {
      const units = BigInt(timeOf(packet.raw)) * 1000n - 1000n * 1_000_000_000n;
      return enhanced(0, units, withDirection(packet), Buffer.alloc(0), 'BE');
    }),
  ]);
};

/** H4 without directions but in the flags of blocks, on the second interface. */
const flaggedPcapng = (): Buffer =>
  Buffer.concat([
    ...[section(), interfaceBlock(1), interfaceBlock(187), enhanced(0, 0n, Buffer.alloc(60))],
    ...packets.map((packet) => {
      const flags = Buffer.concat([u16('LE', 2, 4), u32('LE', packet.fromHost ? 0b10 : 0b01)]);
      return enhanced(1, BigInt(timeOf(packet.raw)), h4Of(packet), flags);
    }),
  ]);

/** Access address and PDU of an advertisement, a scan response and CONNECT_IND of the strap, each with its CRC. */
export const AIR = {
  advertisement: bytes('D6 BE 89 8E 40 0D 01 00 00 EE FF C0 02 01 06 03 03 0D 18 E1 80 6B'),
  scanResponse: bytes('D6 BE 89 8E 44 0D 01 00 00 EE FF C0 06 09 53 74 72 61 70 22 45 8F'),
  connectInd: bytes(
    'D6 BE 89 8E C5 22 11 22 33 44 55 66 01 00 00 EE FF C0' +
      '78 56 34 50 56 34 12 02 05 00 18 00 00 00 2A 00 FF FF FF FF 1F 05 AB 5B F3',
  ),
  /** Exchange MTU Request 517 of the central, Exchange MTU Response 65 of the peripheral. */
  mtuRequest: bytes('78 56 34 50 02 07 03 00 04 00 02 05 02 20 F1 96'),
  mtuResponse: bytes('78 56 34 50 06 07 03 00 04 00 03 41 00 F2 4C 2A'),
} as const;

const ACCESS_ADDRESS = bytes('78 56 34 50');
const [LLID_CONTINUATION, LLID_START, LLID_CONTROL] = [0b01, 0b10, 0b11];
const [NESN, SN] = [0b0100, 0b1000];

export interface Air {
  /** Microseconds since the Unix epoch. */
  readonly at: number;
  /** Access address, PDU and CRC; a data packet has a CRC of zeros, as of a sniffer that fills none in. */
  readonly packet: Buffer;
  /** Undefined: advertising. */
  readonly fromCentral: boolean | undefined;
}

/** The strap's packets on the air: each side answers each packet of the other, by an empty PDU if it has no data. */
export const air: readonly Air[] = (() => {
  const [first = 0] = STRAP.map(timeOf);
  const advertising = (
    [
      [20_000, AIR.advertisement],
      [21_000, AIR.scanResponse],
      [99_000, AIR.connectInd],
    ] as const
  ).map(([after, packet]) => ({ packet, at: first + after, fromCentral: undefined }));
  let number = 0;
  const data = (fromCentral: boolean, at: number, llid: number, payload: Buffer): Air => {
    const header = llid | (number === 0 ? 0 : SN) | ((number === 0) === fromCentral ? 0 : NESN);
    if (!fromCentral) number = 1 - number;
    return {
      ...{ at, fromCentral },
      packet: Buffer.concat([
        ACCESS_ADDRESS,
        Buffer.from([header, payload.length]),
        payload,
        Buffer.alloc(3),
      ]),
    };
  };
  const empty = Buffer.alloc(0);
  const exchanged = packets
    .filter(({ type }) => type === 2)
    .flatMap(({ raw, fromHost }) => {
      const continues = ((raw.data.readUInt16LE(0) >> 12) & 0b11) === 0b01;
      const [llid, payload] = [continues ? LLID_CONTINUATION : LLID_START, raw.data.subarray(4)];
      const at = timeOf(raw);
      return fromHost
        ? [data(true, at, llid, payload), data(false, at, LLID_CONTINUATION, empty)]
        : [data(true, at, LLID_CONTINUATION, empty), data(false, at, llid, payload)];
    });
  const end = data(true, first + 1_800_000, LLID_CONTROL, bytes('02 16'));
  return [...advertising, ...exchanged, end];
})();

const radioHeader = ({ fromCentral }: Air): Buffer => {
  // De-whitened, CRC checked and right; PDU type 2 or 3 has the direction.
  const direction = fromCentral === undefined ? 0 : (fromCentral ? 2 : 3) << 7;
  return Buffer.concat([Buffer.from([37, 0xc4, 0, 0]), Buffer.alloc(4), u16('LE', 0x0c01 | direction)]);
};

const nordicHeader = ({ fromCentral, packet }: Air): Buffer => {
  const flags = 0b1 | (fromCentral === true ? 0b10 : 0);
  const id = fromCentral === undefined ? 0x02 : 0x06;
  return Buffer.concat([
    ...[Buffer.from([0x14]), u16('LE', 10 + packet.length), Buffer.from([3, 0x01, 0x00, id])],
    ...[Buffer.from([10, flags, 37, 60, 0, 0]), Buffer.alloc(4)],
  ]);
};

export const airFile = (
  linkType: number,
  headerOf: (packet: Air) => Buffer,
  contents: readonly Air[] = air,
): Buffer =>
  pcap(
    linkType,
    contents.map((one) => [one.at, Buffer.concat([headerOf(one), one.packet])]),
  );

export const bareAir = (contents: readonly Air[]): Buffer => airFile(251, () => Buffer.alloc(0), contents);

/** Each form by its name. */
export const forms: Readonly<Record<string, Buffer>> = {
  'btsnoop of the Linux monitor (2001)': strap(),
  'btsnoop of H4 (1002)': fileOf(
    1002,
    packets.map((packet) => ({
      ...{ flags: packet.fromHost ? 0 : 1, at: packet.raw.at, data: h4Of(packet) },
    })),
  ),
  'btsnoop of un-encapsulated HCI (1001)': fileOf(
    1001,
    packets.map(({ raw, type, fromHost }) => ({
      ...{ flags: (type === 2 ? 0 : 0b10) | (fromHost ? 0 : 1), at: raw.at, data: raw.data },
    })),
  ),
  'PacketLogger, big-endian': packetLogger('BE'),
  'PacketLogger, little-endian': packetLogger('LE'),
  'pcap of H4 without directions (187)': pcap(187, timed(h4Of)),
  'pcap of H4 with directions (201), big-endian, nanoseconds': pcap(201, timed(withDirection), 'BE', true),
  'pcap of the Linux monitor (254)': pcap(
    254,
    STRAP.map((raw) => [timeOf(raw), Buffer.concat([u32('BE', raw.flags), raw.data])]),
  ),
  'pcapng of H4 with directions (201), big-endian, with an offset of time': nanosecondPcapng(),
  'pcapng of H4 (187), on the second interface': flaggedPcapng(),
  'pcap of the air (251)': bareAir(air),
  'pcap of the air with a radio header (256)': airFile(256, radioHeader),
  'pcap of the nRF sniffer (272)': airFile(272, nordicHeader),
};
