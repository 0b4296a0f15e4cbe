/**
 * Reads WAV files, in RIFF, piece by piece. The length of a piece alone determines its cost, and only the beginning of an
 * unfinished frame is kept.
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Sink, Sound } from './resampling.js';
import { LEAST_FORMAT, mixing, MOST_FORMAT, readFormat, type Format } from './wav-format.js';

/** Called with the format of the sound before its first sample; Left refuses it. */
export type Begin = (sound: Sound) => E.Either<string, Sink>;

/** The next part of a file. */
interface Stage {
  /** The length of a block is a multiple of this, bytes. */
  readonly unit: number;
  /** The length of the longest block, bytes. */
  readonly most: number;
  readonly then: (block: Buffer) => E.Either<string, Stage>;
  /** The error of a file that ends `got` bytes after the last block; undefined: the file is complete. */
  readonly missing: (got: number) => string | undefined;
}

interface Chunk {
  readonly name: string;
  /** Bytes of its content. */
  readonly size: number;
}

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

const NO_WAV = 'the file is not a WAV: it must begin with RIFF and WAVE';
const NO_SAMPLES = 'the WAV is cut short: it has no samples';
const NO_FORMAT = 'the WAV has no format';

const NOTHING = Buffer.alloc(0);

const exactly = (bytes: number): Pick<Stage, 'unit' | 'most'> => ({ unit: bytes, most: bytes });

const cutShort = ({ name, size }: Chunk, got: number): string =>
  got < size ? `the WAV is cut short: its "${name}" chunk has ${got} of ${size} bytes` : NO_SAMPLES;

/** Ignores data after the samples. */
const afterwards: Stage = {
  unit: 1,
  most: Infinity,
  then: () => E.right(afterwards),
  missing: () => undefined,
};

/** Skips a chunk, of which `done` bytes have passed. Chunks begin at even offsets. */
const skipping = (chunk: Chunk, done: number, next: Stage): Stage => {
  const left = chunk.size + (chunk.size % 2) - done;
  return left <= 0
    ? next
    : {
        unit: 1,
        most: left,
        then: (block) => E.right(skipping(chunk, done + block.length, next)),
        missing: (got) => cutShort(chunk, done + got),
      };
};

/** Reads the samples, of which `done` bytes have passed; drops an incomplete last frame. */
const samples = (chunk: Chunk, frame: number, mix: (block: Buffer) => void, done = 0): Stage => {
  const left = chunk.size - (chunk.size % frame) - done;
  return left === 0
    ? afterwards
    : {
        unit: frame,
        most: left,
        then: (block) => {
          mix(block);
          return E.right(samples(chunk, frame, mix, done + block.length));
        },
        missing: (got) => cutShort(chunk, done + got),
      };
};

const formatIn = (chunk: Chunk, begin: Begin): E.Either<string, Stage> => {
  const size = Math.min(chunk.size, MOST_FORMAT);
  return size < LEAST_FORMAT
    ? E.left(NO_FORMAT)
    : E.right({
        ...exactly(size),
        then: (content) =>
          pipe(
            readFormat(content),
            E.map((format) => skipping(chunk, size, nextChunk(begin, format))),
          ),
        missing: (got) => cutShort(chunk, got),
      });
};

const samplesIn = (chunk: Chunk, begin: Begin, format: Format | undefined): E.Either<string, Stage> => {
  if (format === undefined) return E.left(NO_FORMAT);
  const frame = format.channels * format.bytes;
  return pipe(
    begin({ rate: format.rate, length: Math.floor(chunk.size / frame) }),
    E.map((sink) => samples(chunk, frame, mixing(format, sink))),
  );
};

const nextChunk = (begin: Begin, format?: Format): Stage => {
  const stage: Stage = {
    ...exactly(CHUNK_HEADER_BYTES),
    then: (head) => {
      const chunk = { name: head.toString('latin1', 0, 4), size: head.readUInt32LE(4) };
      if (chunk.name === 'data') return samplesIn(chunk, begin, format);
      if (chunk.name === 'fmt ' && format === undefined) return formatIn(chunk, begin);
      return E.right(skipping(chunk, 0, stage));
    },
    missing: () => NO_SAMPLES,
  };
  return stage;
};

const header = (begin: Begin): Stage => ({
  ...exactly(HEADER_BYTES),
  then: (block) =>
    block.toString('latin1', 0, 4) === 'RIFF' && block.toString('latin1', 8) === 'WAVE'
      ? E.right(nextChunk(begin))
      : E.left(NO_WAV),
  missing: () => NO_WAV,
});

/** Opens a reader that sends the samples of a WAV, all channels mixed, to the sink that `begin` returns. */
export const openWav = (begin: Begin) => {
  let stage = header(begin);
  /** The beginning of an unfinished unit. */
  let begun: Buffer = NOTHING;

  /** The next block of `bytes`: whole units if possible, otherwise the beginning of a unit. */
  const blockOf = (bytes: Buffer): { readonly block: Buffer; readonly used: number } => {
    const { unit, most } = stage;
    const whole = bytes.length - (bytes.length % unit);
    const used = begun.length === 0 && whole > 0 ? Math.min(whole, most) : unit - begun.length;
    const block = bytes.subarray(0, used);
    return { used, block: used >= unit ? block : Buffer.concat([begun, block]) };
  };

  return {
    /** Takes the next bytes of the file. Left: a message, such as that it is not a WAV, or the refusal of `begin`. */
    take: (bytes: Buffer): E.Either<string, void> => {
      for (let rest = bytes; ;) {
        const { block, used } = blockOf(rest);
        if (block.length < stage.unit) {
          begun = Buffer.from(block);
          return E.right(undefined);
        }
        begun = NOTHING;
        rest = rest.subarray(used);
        const next = stage.then(block);
        if (E.isLeft(next)) return next;
        stage = next.right;
      }
    },
    /** Ends the file. Left: a message that it is cut short. */
    end: (): E.Either<string, void> => {
      const missing = stage.missing(begun.length);
      return missing === undefined ? E.right(undefined) : E.left(missing);
    },
  };
};

export type WavReader = ReturnType<typeof openWav>;
