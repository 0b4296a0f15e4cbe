import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { countBytes, hexByte, hexBytes, toUint8, uintBytes } from './bytes.js';
import { parseError, type ParseError } from './parse-error.js';
import { decodeScaled, encodeScaled, type Reading } from './reading.js';

/** The service data `READING_SERVICE_DATA` of a clock (docs/cgd1-protocol.md §1.1). */
export interface ReadingAdvertisement extends Reading {
  /** Upper case, colon-separated. */
  readonly address: string;
  /** Per cent, 0 to 100; null on firmware that does not tell. */
  readonly battery: number | null;
  /** The header's first byte: 08 or 88, both seen, meaning unknown. */
  readonly header: number;
  /** Bit 7 of the battery byte, meaning unknown; false without a battery. */
  readonly batteryFlag: boolean;
}

/** The product id of this clock among the vendor's devices. */
const PRODUCT = 0x0c;

const ADDRESS_BYTES = 6;
const HEADER_BYTES = 2 + ADDRESS_BYTES;
const SCALE = 10;
const BATTERY_FLAG = 0x80;

/** Types of what follows the address, each with a length and that many bytes. */
const Type = { reading: 0x01, battery: 0x02 } as const;
const READING_BYTES = 4;

const reversed = (address: string): Buffer => Buffer.from(address.replaceAll(':', ''), 'hex').reverse();

const addressIn = (bytes: Buffer): string => [...bytes].reverse().map(hexByte).join(':');

export const encodeReadingAdvertisement = (advertisement: ReadingAdvertisement): Buffer => {
  const { address, battery, header, batteryFlag } = advertisement;
  return Buffer.concat([
    Buffer.from([toUint8(header), PRODUCT]),
    reversed(address),
    Buffer.from([Type.reading, READING_BYTES]),
    encodeScaled(advertisement, SCALE),
    Buffer.from(
      battery === null
        ? []
        : [Type.battery, 1, Math.min(100, toUint8(battery)) | (batteryFlag ? BATTERY_FLAG : 0)],
    ),
  ]);
};

/** The values by type; Left if the last one is cut short. */
const decodeValues = (bytes: Buffer): E.Either<ParseError, ReadonlyMap<number, Buffer>> => {
  const values = new Map<number, Buffer>();
  let offset = 0;
  while (offset < bytes.length) {
    const [type = 0, length = 0xff] = bytes.subarray(offset);
    const value = bytes.subarray(offset + 2, offset + 2 + length);
    if (value.length < length) return parseError(`the advertisement is cut short: ${hexBytes(bytes)}`);
    values.set(type, value);
    offset += 2 + length;
  }
  return E.right(values);
};

/**
 * The readings in service data. Left: another product, no reading, a battery above 100 %, or bytes cut short.
 * Types without a known meaning are passed over.
 */
export const decodeReadingAdvertisement = (bytes: Buffer): E.Either<ParseError, ReadingAdvertisement> => {
  const [header, product] = bytes;
  if (header === undefined || product === undefined || bytes.length < HEADER_BYTES) {
    return parseError(`the advertisement must have at least ${HEADER_BYTES} bytes, got ${bytes.length}`);
  }
  if (product !== PRODUCT) {
    return parseError(`the product id must be ${hexByte(PRODUCT)}, got ${hexByte(product)}`);
  }
  return pipe(
    decodeValues(bytes.subarray(HEADER_BYTES)),
    E.chain((values) => {
      const reading = values.get(Type.reading);
      if (reading?.length !== READING_BYTES) return parseError('the advertisement must hold a reading');
      const battery = values.get(Type.battery);
      if (battery !== undefined && battery.length !== 1) {
        return parseError(`the battery level must have 1 byte, got ${battery.length}`);
      }
      const level = battery?.readUInt8(0) ?? 0;
      if ((level & ~BATTERY_FLAG) > 100) {
        return parseError(`the battery level must be 0 to 100, got ${level & ~BATTERY_FLAG}`);
      }
      return E.right({
        address: addressIn(bytes.subarray(2, HEADER_BYTES)),
        ...decodeScaled(reading, SCALE),
        battery: battery === undefined ? null : level & ~BATTERY_FLAG,
        header,
        batteryFlag: (level & BATTERY_FLAG) !== 0,
      });
    }),
  );
};

/** The service data `XIAOMI_SERVICE_DATA` of a clock that Xiaomi's app has not bound: a MiBeacon without readings. */
export interface MiBeacon {
  /** Upper case, colon-separated. */
  readonly address: string;
  /** Rises by one with each packet, 0 to 255. */
  readonly counter: number;
}

/** Frame control of an unbound clock, product id 0x0576, and the one capability byte. */
const BEACON_HEAD = Buffer.from([0x30, 0x58, 0x76, 0x05]);
const BEACON_TAIL = Buffer.from([0x08]);
const BEACON_BYTES = BEACON_HEAD.length + 1 + ADDRESS_BYTES + BEACON_TAIL.length;

export const encodeMiBeacon = ({ address, counter }: MiBeacon): Buffer =>
  Buffer.concat([BEACON_HEAD, uintBytes(counter, 1), reversed(address), BEACON_TAIL]);

/** Left for any other beacon; one of a bound clock is encrypted. */
export const decodeMiBeacon = (bytes: Buffer): E.Either<ParseError, MiBeacon> => {
  if (bytes.length !== BEACON_BYTES) {
    return parseError(`the beacon must have ${countBytes(BEACON_BYTES)}, got ${bytes.length}`);
  }
  const head = bytes.subarray(0, BEACON_HEAD.length);
  if (!head.equals(BEACON_HEAD) || !bytes.subarray(-BEACON_TAIL.length).equals(BEACON_TAIL)) {
    return parseError(`the beacon must be that of an unbound clock, got ${hexBytes(bytes)}`);
  }
  return E.right({
    counter: bytes.readUInt8(BEACON_HEAD.length),
    address: addressIn(bytes.subarray(BEACON_HEAD.length + 1, -BEACON_TAIL.length)),
  });
};
