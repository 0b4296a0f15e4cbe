/** Converts a file, piece by piece, to the samples that a clock plays: 8-bit unsigned PCM, 8 kHz, mono. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { toUint8 } from '../../bytes/index.js';
import { AUDIO_RATE, MAX_AUDIO } from '../../protocols/cgd1/index.js';
import { GrowingBytes } from './growing-bytes.js';
import { resampledLength, resampling } from './resampling.js';
import { openWav, type WavReader } from './wav.js';

export type ToneFormat = 'wav' | 'pcm_u8_8k';

const MIDDLE = 0x80;

const checkLength = (samples: number): E.Either<string, void> => {
  if (samples === 0) return E.left('the tone has no samples');
  return samples > MAX_AUDIO
    ? E.left(
        `the tone must last at most ${MAX_AUDIO / AUDIO_RATE} s, got ${(samples / AUDIO_RATE).toFixed(1)} s`,
      )
    : E.right(undefined);
};

/** Copies samples of 8-bit unsigned PCM at the clock's rate. */
const openPcm = (tone: GrowingBytes): WavReader => ({
  take: (bytes) => {
    tone.append(bytes);
    return E.right(undefined);
  },
  end: () => checkLength(tone.bytes.length),
});

const openWavTone = (tone: GrowingBytes): WavReader =>
  openWav((sound) =>
    pipe(
      checkLength(resampledLength(sound)),
      E.map(() => resampling(sound, (sample) => tone.push(toUint8(MIDDLE + sample * MIDDLE)))),
    ),
  );

const readers = { wav: openWavTone, pcm_u8_8k: openPcm };

export const openTone = (format: ToneFormat) => {
  const tone = new GrowingBytes();
  const { take, end } = readers[format](tone);
  return {
    /** Takes the next bytes of the file; their number alone determines the cost. */
    take,
    /** Ends the file. Right: its samples, at most `MAX_AUDIO`. */
    end: (): E.Either<string, Buffer> =>
      pipe(
        end(),
        E.map(() => tone.bytes),
      ),
    /** Bytes of memory that it takes. */
    get held(): number {
      return tone.capacity;
    },
  };
};

/** Left: a message. */
export type ToneReader = ReturnType<typeof openTone>;
