/** pcapng: blocks, of which some describe interfaces and some hold packets (ietf.org/archive/id/draft-ietf-opsawg-pcapng). */
import * as E from 'fp-ts/lib/Either.js';
import {
  orderOf,
  u16,
  u32,
  type Block,
  type ByteOrder,
  type Datalink,
  type FilePacket,
  type Opening,
} from './format.js';
import { datalinkOf, onController, refusedLink } from './link-types.js';

const SECTION = 0x0a0d0d0a;
const BYTE_ORDER = 0x1a2b3c4d;
const BlockType = { interface: 1, obsoletePacket: 2, simplePacket: 3, enhancedPacket: 6 } as const;

/** Type, and the length in front and at the end. */
const SHORTEST = 12;
/** Wireshark takes no longer ones. */
const LONGEST = 16 * 1024 * 1024;
/** The interfaces of a section that the number in an obsolete packet block can tell apart. */
const MOST_INTERFACES = 0x10000;

const Option = { end: 0, flags: 2, resolution: 9, offset: 14 } as const;
const USUAL_RESOLUTION = 6;
/** A resolution with this bit is a power of 2, else of 10. */
const POWER_OF_2 = 0x80;

interface Interface {
  readonly linkType: number;
  readonly datalink: Datalink | undefined;
  readonly unitsPerMillisecond: number;
  /** Milliseconds to be added to each time. */
  readonly offset: number;
  /** The bytes that are kept of a packet at most. */
  readonly snapLength: number;
}

/** The values of options by their codes. */
const optionsIn = (bytes: Buffer, order: ByteOrder): ReadonlyMap<number, Buffer> => {
  const options = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= bytes.length;) {
    const [code, length] = [u16(bytes, at, order), u16(bytes, at + 2, order)];
    if (code === Option.end) break;
    options.set(code, bytes.subarray(at + 4, at + 4 + length));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return options;
};

const interfaceOf = (body: Buffer, order: ByteOrder, index: number): Interface => {
  const linkType = u16(body, 0, order);
  const options = optionsIn(body.subarray(8), order);
  const resolution = options.get(Option.resolution)?.[0] ?? USUAL_RESOLUTION;
  const perSecond = resolution & POWER_OF_2 ? 2 ** (resolution & ~POWER_OF_2) : 10 ** resolution;
  const offset = options.get(Option.offset);
  const seconds =
    offset?.length !== 8 ? 0n : order === 'BE' ? offset.readBigInt64BE() : offset.readBigInt64LE();
  const datalink = datalinkOf(linkType);
  return {
    linkType,
    datalink: datalink && onController(datalink, index),
    unitsPerMillisecond: perSecond / 1000,
    offset: Number(seconds) * 1000,
    snapLength: u32(body, 4, order) || Infinity,
  };
};

interface Content extends FilePacket {
  readonly from: number;
}

/** The packet of a block. */
const readPacket = (
  type: number,
  body: Buffer,
  order: ByteOrder,
  interfaces: readonly Interface[],
): Content => {
  if (type === BlockType.simplePacket) {
    const original = u32(body, 0, order);
    const data = body.subarray(4, 4 + Math.min(original, interfaces[0]?.snapLength ?? original));
    return { from: 0, flags: 0, at: 0, data, whole: data.length === original };
  }
  const word = (at: number): number => u32(body, at, order);
  const from = type === BlockType.obsoletePacket ? u16(body, 0, order) : word(0);
  const [kept, original] = [word(12), word(16)];
  const { unitsPerMillisecond = 1000, offset = 0 } = interfaces[from] ?? {};
  const options = optionsIn(body.subarray(20 + Math.ceil(kept / 4) * 4), order);
  const flags = options.get(Option.flags);
  const data = body.subarray(20, 20 + kept);
  return {
    from,
    flags: flags?.length === 4 ? u32(flags, 0, order) : 0,
    at: (word(4) * 2 ** 32 + word(8)) / unitsPerMillisecond + offset,
    data,
    whole: data.length >= original,
  };
};

/** The shortest body of each block that is read. */
const SHORTEST_BODY: Readonly<Record<number, number>> = {
  [BlockType.interface]: 8,
  [BlockType.obsoletePacket]: 20,
  [BlockType.simplePacket]: 4,
  [BlockType.enhancedPacket]: 20,
};

export const pcapng: Opening = (file) => {
  if (orderOf(file, 0, [SECTION]) === undefined) return undefined;
  let order: ByteOrder = 'LE';
  let interfaces: Interface[] = [];
  /** Whether any interface of the file is of Bluetooth LE. */
  let isBluetooth = false;
  let firstLinkType: number | undefined;

  const blockOf = (type: number, length: number, body: Buffer): Block => {
    if (type === BlockType.interface) {
      const described = interfaceOf(body, order, interfaces.length);
      interfaces.push(described);
      isBluetooth ||= described.datalink !== undefined;
      firstLinkType ??= described.linkType;
    }
    if (!(type in SHORTEST_BODY) || type === BlockType.interface) return { length };
    const { from, ...packet } = readPacket(type, body, order, interfaces);
    return { length, packet, datalink: interfaces[from]?.datalink };
  };

  return {
    next: (bytes) => {
      if (bytes.length < SHORTEST) return E.right(undefined);
      const isSection = u32(bytes, 0, 'LE') === SECTION;
      const sectionOrder = isSection ? orderOf(bytes, 8, [BYTE_ORDER]) : order;
      if (sectionOrder === undefined) return E.left({ damaged: 'begins a section without a byte order' });
      order = sectionOrder;
      if (isSection) interfaces = [];
      const [type, length] = [u32(bytes, 0, order), u32(bytes, 4, order)];
      const shortest = SHORTEST + (SHORTEST_BODY[type] ?? 0);
      if (length % 4 !== 0 || length < shortest || length > LONGEST)
        return E.left({ damaged: `cannot be of ${length} bytes` });
      if (bytes.length < length) return E.right({ length });
      const end = u32(bytes, length - 4, order);
      if (end !== length)
        return E.left({ damaged: `begins with a length of ${length} bytes, and ends with ${end}` });
      if (type === BlockType.interface && interfaces.length === MOST_INTERFACES)
        return E.left({ damaged: `describes more than ${MOST_INTERFACES} interfaces` });
      return E.right(blockOf(type, length, bytes.subarray(8, length - 4)));
    },
    end: () =>
      isBluetooth || firstLinkType === undefined ? undefined : refusedLink('pcapng', firstLinkType),
  };
};
