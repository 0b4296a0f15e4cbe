import * as E from 'fp-ts/lib/Either.js';
import { hexBytes, int16Bytes, toUint8, uintBytes } from './bytes.js';
import { parseError, type ParseError } from './parse-error.js';

/** What the clock measures. */
export interface Reading {
  /** Degrees Celsius, whatever the display shows. */
  readonly temperature: number;
  /** Relative, per cent. */
  readonly humidity: number;
}

/** Steps of a degree and of a per cent: 10 in advertisements, 100 on a link (docs/cgd1-protocol.md §9). */
const LIVE_SCALE = 100;

const LIVE_BYTES = 5;

/** Signed temperature and unsigned humidity, little-endian, in steps of 1 / `scale`. */
export const encodeScaled = ({ temperature, humidity }: Reading, scale: number): Buffer =>
  Buffer.concat([int16Bytes(temperature * scale), uintBytes(humidity * scale, 2)]);

/** Reads four bytes. */
export const decodeScaled = (bytes: Buffer, scale: number): Reading => ({
  temperature: bytes.readInt16LE(0) / scale,
  humidity: bytes.readUInt16LE(2) / scale,
});

/** `00 T T H H`: a notification of `READING_NOTIFY`. */
export const encodeReading = (reading: Reading): Buffer =>
  Buffer.concat([Buffer.from([0]), encodeScaled(reading, LIVE_SCALE)]);

/** Left unless there are five bytes, the first of them 0. */
export const decodeReading = (bytes: Buffer): E.Either<ParseError, Reading> =>
  bytes.length === LIVE_BYTES && bytes[0] === 0
    ? E.right(decodeScaled(bytes.subarray(1), LIVE_SCALE))
    : parseError(`a reading must have ${LIVE_BYTES} bytes and begin with 00, got ${hexBytes(bytes)}`);

/** The value of `BATTERY_LEVEL`: per cent. */
export const encodeBattery = (level: number): Buffer => Buffer.from([toUint8(level)]);

/** Per cent, 0 to 100. Left for anything else than one such byte. */
export const decodeBattery = (bytes: Buffer): E.Either<ParseError, number> => {
  const [level] = bytes;
  return level !== undefined && bytes.length === 1 && level <= 100
    ? E.right(level)
    : parseError(`a battery level must be one byte, 0 to 100, got ${hexBytes(bytes)}`);
};
