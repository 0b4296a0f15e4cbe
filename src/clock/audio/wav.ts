/** Reading WAV files: uncompressed PCM and IEEE floats in RIFF, of any rate and depth. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';

export interface Sound {
  /** Samples per second of each channel. */
  readonly rate: number;
  /** Samples of one channel. */
  readonly length: number;
  /** The sample at `index` (0 to `length` - 1), all channels mixed; -1 to 1. */
  readonly at: (index: number) => number;
}

interface Format {
  readonly kind: 'integer' | 'float';
  readonly channels: number;
  readonly rate: number;
  /** Bytes of one sample of one channel. */
  readonly bytes: number;
}

const PCM = 0x0001;
const FLOAT = 0x0003;
/** The true format is in the first two bytes of the GUID at the end. */
const EXTENSIBLE = 0xfffe;

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FORMAT_BYTES = 16;
const SUBFORMAT_AT = 24;

/** The chunks by name, first of each; Left if one is cut short. */
const chunks = (file: Buffer): E.Either<string, ReadonlyMap<string, Buffer>> => {
  const found = new Map<string, Buffer>();
  let offset = HEADER_BYTES;
  while (offset + CHUNK_HEADER_BYTES <= file.length) {
    const name = file.toString('latin1', offset, offset + 4);
    const size = file.readUInt32LE(offset + 4);
    const content = file.subarray(offset + CHUNK_HEADER_BYTES, offset + CHUNK_HEADER_BYTES + size);
    if (content.length < size) {
      return E.left(`the WAV is cut short: its "${name}" chunk has ${content.length} of ${size} bytes`);
    }
    if (!found.has(name)) found.set(name, content);
    // Chunks begin at even offsets.
    offset += CHUNK_HEADER_BYTES + size + (size % 2);
  }
  return E.right(found);
};

const readFormat = (chunk: Buffer | undefined): E.Either<string, Format> => {
  if (chunk === undefined || chunk.length < FORMAT_BYTES) return E.left('the WAV has no format');
  const tag = chunk.readUInt16LE(0);
  const format =
    tag === EXTENSIBLE && chunk.length >= SUBFORMAT_AT + 2 ? chunk.readUInt16LE(SUBFORMAT_AT) : tag;
  const channels = chunk.readUInt16LE(2);
  const rate = chunk.readUInt32LE(4);
  const bytes = Math.ceil(chunk.readUInt16LE(14) / 8);
  const depths = format === FLOAT ? [4, 8] : [1, 2, 3, 4];
  if (format !== PCM && format !== FLOAT) {
    return E.left(`the WAV must be uncompressed (format 1 or 3), got format ${format}`);
  }
  if (channels === 0 || rate === 0 || !depths.includes(bytes)) {
    return E.left(
      `the WAV has ${channels} channels of ${bytes * 8} bits at ${rate} Hz: there is no such sound`,
    );
  }
  return E.right({ kind: format === FLOAT ? 'float' : 'integer', channels, rate, bytes });
};

/** Reads the sample at a byte offset; -1 to 1. Only samples of 8 bits have no sign. */
const sampleReader = ({ kind, bytes }: Format, data: Buffer): ((offset: number) => number) => {
  if (kind === 'float') {
    const read = bytes === 4 ? data.readFloatLE.bind(data) : data.readDoubleLE.bind(data);
    return (offset) => {
      const value = read(offset);
      return Number.isNaN(value) ? 0 : Math.min(1, Math.max(-1, value));
    };
  }
  if (bytes === 1) return (offset) => (data.readUInt8(offset) - 0x80) / 0x80;
  const full = 2 ** (8 * bytes - 1);
  return (offset) => data.readIntLE(offset, bytes) / full;
};

/** Left is a sentence: no WAV, compressed, or cut short. */
export const readWav = (file: Buffer): E.Either<string, Sound> => {
  const isWav =
    file.length >= HEADER_BYTES &&
    file.toString('latin1', 0, 4) === 'RIFF' &&
    file.toString('latin1', 8, HEADER_BYTES) === 'WAVE';
  if (!isWav) return E.left('the file is no WAV: it must begin with RIFF and WAVE');
  return pipe(
    chunks(file),
    E.chain((found) => {
      const data = found.get('data');
      if (data === undefined) return E.left('the WAV is cut short: it has no samples');
      return pipe(
        readFormat(found.get('fmt ')),
        E.map((format) => {
          const read = sampleReader(format, data);
          const { channels, rate, bytes } = format;
          const frame = channels * bytes;
          return {
            rate,
            length: Math.floor(data.length / frame),
            at: (index) => {
              let sum = 0;
              for (let channel = 0; channel < channels; channel++)
                sum += read(index * frame + channel * bytes);
              return sum / channels;
            },
          };
        }),
      );
    }),
  );
};
