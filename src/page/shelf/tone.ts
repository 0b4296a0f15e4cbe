/** A sound as a clock plays it: 8-bit unsigned samples, 8 kHz, mono. */
import { AUDIO_RATE, MAX_AUDIO } from '../../clock/protocol/audio.js';

export const LONGEST_SECS = MAX_AUDIO / AUDIO_RATE;

/** The samples of a file that the browser can decode, as many as fit a clock; null: it cannot. */
export const convert = async (file: Blob): Promise<Uint8Array | null> => {
  try {
    const decoder = new OfflineAudioContext(1, 1, AUDIO_RATE);
    const sound = await decoder.decodeAudioData(await file.arrayBuffer());
    const mixer = new OfflineAudioContext(1, Math.min(sound.length, MAX_AUDIO), AUDIO_RATE);
    const source = mixer.createBufferSource();
    source.buffer = sound;
    source.connect(mixer.destination);
    source.start();
    const mixed = await mixer.startRendering();
    return Uint8Array.from(mixed.getChannelData(0), (value) =>
      Math.max(0, Math.min(255, Math.round(value * 128 + 128))),
    );
  } catch {
    return null;
  }
};

/** Plays samples as they are; returns what stops it. */
export const play = (samples: Uint8Array, ended: () => void): (() => void) => {
  const context = new AudioContext();
  const sound = context.createBuffer(1, samples.length, AUDIO_RATE);
  sound.copyToChannel(
    Float32Array.from(samples, (value) => (value - 128) / 128),
    0,
  );
  const source = context.createBufferSource();
  source.buffer = sound;
  source.connect(context.destination);
  source.addEventListener('ended', () => {
    void context.close();
    ended();
  });
  source.start();
  return () => source.stop();
};
