import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  address,
  bytes as bytesOf,
  countBytes,
  endingWith,
  hexByte,
  shortBytes,
  layout,
  nearestUnsigned,
  toUint8,
  u8,
} from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';
import { advertisedReading, type Reading } from './reading.js';

/** The service data `READING_SERVICE_DATA` of a clock (docs/cgd1-protocol.md §1.1). */
export interface ReadingAdvertisement extends Reading {
  /** Upper case, colon-separated. */
  readonly address: string;
  /** Per cent, 0 to 100; null on firmware that does not report it. */
  readonly battery: number | null;
  /** The header's first byte: 08 or 88, both seen, meaning unknown. */
  readonly header: number;
  /** Bit 7 of the battery byte, meaning unknown; false without a battery. */
  readonly batteryFlag: boolean;
}

/** The product id of this clock among the vendor's devices. */
const PRODUCT = 0x0c;

const BATTERY_FLAG = 0x80;

/** Types of the values that follow the header, each with a length and that many bytes. */
const Type = { reading: 0x01, battery: 0x02 } as const;

const head = layout({ header: nearestUnsigned(u8), product: u8, address });
const body = layout({ type: u8, length: u8, reading: advertisedReading });

export const encodeReadingAdvertisement = (advertisement: ReadingAdvertisement): Buffer => {
  const { battery, batteryFlag } = advertisement;
  return Buffer.concat([
    head.write({ ...advertisement, product: PRODUCT }),
    body.write({ type: Type.reading, length: advertisedReading.size, reading: advertisement }),
    Buffer.from(
      battery === null
        ? []
        : [Type.battery, 1, Math.min(100, toUint8(battery)) | (batteryFlag ? BATTERY_FLAG : 0)],
    ),
  ]);
};

/** The values by type; Left: the last value is cut short. */
const decodeValues = (bytes: Buffer): E.Either<ParseError, ReadonlyMap<number, Buffer>> => {
  const values = new Map<number, Buffer>();
  let offset = 0;
  while (offset < bytes.length) {
    const [type = 0, length = 0xff] = bytes.subarray(offset);
    const value = bytes.subarray(offset + 2, offset + 2 + length);
    if (value.length < length) return parseFailure(`the advertisement is cut short: ${shortBytes(bytes)}`);
    values.set(type, value);
    offset += 2 + length;
  }
  return E.right(values);
};

/**
 * The readings in service data. Left: another product, no reading, a battery above 100 %, or bytes cut short.
 * Types without a known meaning are ignored.
 */
export const decodeReadingAdvertisement = (bytes: Buffer): E.Either<ParseError, ReadingAdvertisement> => {
  if (bytes.length < head.size) {
    return parseFailure(`the advertisement must have at least ${head.size} bytes, got ${bytes.length}`);
  }
  const { header, product, address: from } = head.read(bytes);
  if (product !== PRODUCT) {
    return parseFailure(`the product id must be ${hexByte(PRODUCT)}, got ${hexByte(product)}`);
  }
  return pipe(
    decodeValues(bytes.subarray(head.size)),
    E.chain((values) => {
      const reading = values.get(Type.reading);
      if (reading?.length !== advertisedReading.size)
        return parseFailure('the advertisement must hold a reading');
      const battery = values.get(Type.battery);
      if (battery !== undefined && battery.length !== 1) {
        return parseFailure(`the battery level must have 1 byte, got ${battery.length}`);
      }
      const level = battery?.readUInt8(0) ?? 0;
      if ((level & ~BATTERY_FLAG) > 100) {
        return parseFailure(`the battery level must be 0 to 100, got ${level & ~BATTERY_FLAG}`);
      }
      return E.right({
        address: from,
        ...advertisedReading.read(reading, 0),
        battery: battery === undefined ? null : level & ~BATTERY_FLAG,
        header,
        batteryFlag: (level & BATTERY_FLAG) !== 0,
      });
    }),
  );
};

/** The service data `XIAOMI_SERVICE_DATA` of a clock that is not bound to Xiaomi's app: a MiBeacon without readings. */
export interface MiBeacon {
  /** Upper case, colon-separated. */
  readonly address: string;
  /** Increases by one with each packet, 0 to 255. */
  readonly counter: number;
}

/** Frame control of an unbound clock, product id 0x0576, and the one capability byte. */
const BEACON_HEAD = Buffer.from([0x30, 0x58, 0x76, 0x05]);
const BEACON_TAIL = Buffer.from([0x08]);
const beacon = endingWith(
  layout({ head: bytesOf(BEACON_HEAD.length), counter: nearestUnsigned(u8), address }),
  BEACON_TAIL,
);

export const encodeMiBeacon = (unbound: MiBeacon): Buffer => beacon.write({ ...unbound, head: BEACON_HEAD });

/** Left: the beacon of a bound clock, which is encrypted, or of another device. */
export const decodeMiBeacon = (bytes: Buffer): E.Either<ParseError, MiBeacon> => {
  if (bytes.length !== beacon.size) {
    return parseFailure(`the beacon must have ${countBytes(beacon.size)}, got ${bytes.length}`);
  }
  const { head: start, counter, address: from } = beacon.read(bytes);
  return start.equals(BEACON_HEAD) && beacon.problem(bytes) === undefined
    ? E.right({ counter, address: from })
    : parseFailure(`the beacon must be that of an unbound clock, got ${shortBytes(bytes)}`);
};

/** A clock's local name. On the air it ends with a NUL (docs/cgd1-protocol.md §1). */
export const CLOCK_NAME = 'Qingping Alarm Clock';

const trailingNuls = /\0+$/;

/** Whether a local name, with or without NULs at its end, is the name of a clock. */
export const isClockName = (name: string): boolean => name.replace(trailingNuls, '') === CLOCK_NAME;
