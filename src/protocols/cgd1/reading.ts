import * as E from 'fp-ts/lib/Either.js';
import {
  fractions,
  shortBytes,
  i16,
  nearestSigned,
  nearestUnsigned,
  struct,
  toUint8,
  u16,
  type Field,
} from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';

/** The measured values of the clock. */
export interface Reading {
  /** Degrees Celsius, even if the display shows Fahrenheit. */
  readonly temperature: number;
  /** Relative, per cent. */
  readonly humidity: number;
}

/** Signed temperature and unsigned humidity, in `parts` of a degree and of a per cent (docs/cgd1-protocol.md §9). */
const scaled = (parts: number): Field<Reading> =>
  struct({
    temperature: fractions(nearestSigned(i16), parts),
    humidity: fractions(nearestUnsigned(u16), parts),
  });

/** The reading in advertisements. */
export const advertisedReading = scaled(10);

/** `00 T T H H`: a notification of `READING_NOTIFY`. */
const live = scaled(100);
const LIVE_BYTES = 1 + live.size;

export const encodeReading = (reading: Reading): Buffer => {
  const to = Buffer.alloc(LIVE_BYTES);
  live.write(to, 1, reading);
  return to;
};

/** Left: not five bytes of which the first is 0. */
export const decodeReading = (bytes: Buffer): E.Either<ParseError, Reading> =>
  bytes.length === LIVE_BYTES && bytes[0] === 0
    ? E.right(live.read(bytes, 1))
    : parseFailure(`a reading must have ${LIVE_BYTES} bytes and begin with 00, got ${shortBytes(bytes)}`);

/** The value of `BATTERY_LEVEL`: per cent. */
export const encodeBattery = (level: number): Buffer => Buffer.from([toUint8(level)]);

/** Per cent, 0 to 100. Left: not one byte in this range. */
export const decodeBattery = (bytes: Buffer): E.Either<ParseError, number> => {
  const [level] = bytes;
  return level !== undefined && bytes.length === 1 && level <= 100
    ? E.right(level)
    : parseFailure(`a battery level must be one byte, 0 to 100, got ${shortBytes(bytes)}`);
};
