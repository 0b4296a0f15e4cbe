/** The format of a WAV in its "fmt " chunk, uncompressed PCM or IEEE floats, and the samples by it. */
import * as E from 'fp-ts/lib/Either.js';
import type { Sink } from './resampling.js';

export interface Format {
  readonly kind: 'integer' | 'float';
  readonly channels: number;
  /** Samples per second of each channel. */
  readonly rate: number;
  /** Bytes of one sample of one channel. */
  readonly bytes: number;
}

const PCM = 0x0001;
const FLOAT = 0x0003;
/** The tag of a chunk with the true format in the first two bytes of the GUID at its end. */
const EXTENSIBLE = 0xfffe;

/** The fewest bytes of a "fmt " chunk, and the most that have a known meaning. */
export const LEAST_FORMAT = 16;
export const MOST_FORMAT = 40;
const SUBFORMAT_AT = 24;

const MAX_CHANNELS = 8;
/** Hz. */
const MIN_RATE = 1_000;
const MAX_RATE = 384_000;

const mustBe = (field: string, range: string, got: number): E.Either<string, never> =>
  E.left(`${field} of the WAV must be ${range}, got ${got}`);

/** Reads `LEAST_FORMAT` bytes or more. Left: a message that the WAV is compressed or out of range. */
export const readFormat = (chunk: Buffer): E.Either<string, Format> => {
  const tag = chunk.readUInt16LE(0);
  const format =
    tag === EXTENSIBLE && chunk.length >= SUBFORMAT_AT + 2 ? chunk.readUInt16LE(SUBFORMAT_AT) : tag;
  const channels = chunk.readUInt16LE(2);
  const rate = chunk.readUInt32LE(4);
  const bits = chunk.readUInt16LE(14);
  const bytes = Math.ceil(bits / 8);
  if (format !== PCM && format !== FLOAT) {
    return E.left(`the WAV must be uncompressed (format 1 or 3), got format ${format}`);
  }
  if (channels < 1 || channels > MAX_CHANNELS) return mustBe('channels', `1 to ${MAX_CHANNELS}`, channels);
  if (rate < MIN_RATE || rate > MAX_RATE) return mustBe('sample rate', `${MIN_RATE} to ${MAX_RATE} Hz`, rate);
  if (format === PCM) {
    return bytes >= 1 && bytes <= 4
      ? E.right({ kind: 'integer', channels, rate, bytes })
      : mustBe('bits per sample', '1 to 32', bits);
  }
  return bytes === 4 || bytes === 8
    ? E.right({ kind: 'float', channels, rate, bytes })
    : mustBe('bits per sample', '32 or 64 for floats', bits);
};

/** Makes a reader of the sample at a byte offset, -1 to 1. Only samples of 8 bits are unsigned. */
const sampleReader = ({ kind, bytes }: Format): ((data: Buffer, offset: number) => number) => {
  if (kind === 'float') {
    return (data, offset) => {
      const value = bytes === 4 ? data.readFloatLE(offset) : data.readDoubleLE(offset);
      return Number.isNaN(value) ? 0 : Math.min(1, Math.max(-1, value));
    };
  }
  if (bytes === 1) return (data, offset) => (data.readUInt8(offset) - 0x80) / 0x80;
  const full = 2 ** (8 * bytes - 1);
  return (data, offset) => data.readIntLE(offset, bytes) / full;
};

/** Sends each frame of a block, all channels mixed, to `sink`. */
export const mixing = (format: Format, sink: Sink): ((block: Buffer) => void) => {
  const { channels, bytes } = format;
  const read = sampleReader(format);
  return (block) => {
    for (let offset = 0; offset < block.length;) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++, offset += bytes) sum += read(block, offset);
      sink(sum / channels);
    }
  };
};
