/** Resampling of a sound of any rate to the clock's rate. */
import { AUDIO_RATE } from '../../protocols/cgd1/index.js';

export interface Sound {
  /** Samples per second. */
  readonly rate: number;
  /** How many samples there are. */
  readonly length: number;
}

/** Takes the next sample, -1 to 1. */
export type Sink = (sample: number) => void;

/** How many samples a sound has at the clock's rate. */
export const resampledLength = ({ length, rate }: Sound): number => Math.floor((length * AUDIO_RATE) / rate);

/** Makes each sample the average of the samples in its place. */
const averaging = (sound: Sound, put: Sink): Sink => {
  const count = resampledLength(sound);
  const endOf = (index: number): number => Math.floor(((index + 1) * sound.rate) / AUDIO_RATE);
  let [taken, sum, done, begin, end] = [0, 0, 0, 0, endOf(0)];
  return (sample) => {
    taken += 1;
    sum += sample;
    if (taken < end || done === count) return;
    put(sum / (end - begin));
    done += 1;
    [sum, begin, end] = [0, end, endOf(done)];
  };
};

/** Makes each sample by a line between the samples before and after it; at the end, the last sample is repeated. */
const interpolating = (sound: Sound, put: Sink): Sink => {
  const count = resampledLength(sound);
  const placeOf = (index: number): number => (index * sound.rate) / AUDIO_RATE;
  let [taken, before, done] = [0, 0, 0];
  return (sample) => {
    for (; done < count && placeOf(done) < taken; done++) {
      put(before + (sample - before) * (placeOf(done) - taken + 1));
    }
    taken += 1;
    before = sample;
    if (taken === sound.length) for (; done < count; done++) put(sample);
  };
};

/** Takes all samples of a sound, and puts each sample at the clock's rate as soon as possible. */
export const resampling = (sound: Sound, put: Sink): Sink =>
  sound.rate > AUDIO_RATE ? averaging(sound, put) : interpolating(sound, put);
