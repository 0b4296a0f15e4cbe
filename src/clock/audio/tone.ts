/** From a file to the samples that a clock plays: 8-bit unsigned PCM, 8 kHz, mono. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { AUDIO_RATE, MAX_AUDIO } from '../protocol/index.js';
import { readWav, type Sound } from './wav.js';

export type ToneFormat = 'wav' | 'pcm_u8_8k';

const MIDDLE = 0x80;

const toUint8 = (sample: number): number => Math.min(0xff, Math.max(0, Math.round(MIDDLE + sample * MIDDLE)));

/** How many samples a sound has at the clock's rate. */
const lengthOf = ({ length, rate }: Sound): number => Math.floor((length * AUDIO_RATE) / rate);

/** Sample `index` at the clock's rate: an average where there are more than enough samples, else on a line between two. */
const resampled = ({ at, rate, length }: Sound, index: number): number => {
  const ratio = rate / AUDIO_RATE;
  const from = index * ratio;
  if (ratio > 1) {
    const first = Math.floor(from);
    const end = Math.max(first + 1, Math.min(length, Math.floor(from + ratio)));
    let sum = 0;
    for (let source = first; source < end; source++) sum += at(source);
    return sum / (end - first);
  }
  const before = Math.min(length - 1, Math.floor(from));
  const after = Math.min(length - 1, before + 1);
  return at(before) + (at(after) - at(before)) * (from - before);
};

const fitting = (samples: number): E.Either<string, number> => {
  if (samples === 0) return E.left('the tone has no samples');
  return samples > MAX_AUDIO
    ? E.left(
        `the tone must last at most ${MAX_AUDIO / AUDIO_RATE} s, got ${(samples / AUDIO_RATE).toFixed(1)} s`,
      )
    : E.right(samples);
};

/** The samples of a file, at most `MAX_AUDIO`. Left is a sentence. */
export const readTone = (format: ToneFormat, file: Buffer): E.Either<string, Buffer> => {
  switch (format) {
    case 'pcm_u8_8k':
      return pipe(
        fitting(file.length),
        E.map(() => file),
      );
    case 'wav':
      return pipe(
        readWav(file),
        E.chain((sound) =>
          pipe(
            fitting(lengthOf(sound)),
            E.map((length) =>
              Buffer.from(Array.from({ length }, (_, index) => toUint8(resampled(sound, index)))),
            ),
          ),
        ),
      );
  }
};
