/** Sounds in the format of a clock: 8-bit unsigned samples, 8 kHz, mono. */
import { detached } from '../../async/defects.js';
import { AUDIO_RATE, MAX_AUDIO } from '../../protocols/cgd1/audio.js';

export const LONGEST_SECS = MAX_AUDIO / AUDIO_RATE;

/** The sound for an upload: samples that fit the clock, from a sound of `secs`, or a WAV for the server to convert. */
export type Tone =
  | { readonly format: 'pcm_u8_8k'; readonly bytes: Uint8Array; readonly secs: number }
  | { readonly format: 'wav'; readonly bytes: Uint8Array };

/** Decodes a file in the browser, and cuts the samples to the capacity of a clock. */
const convert = async (file: ArrayBuffer): Promise<Tone> => {
  const decoder = new OfflineAudioContext(1, 1, AUDIO_RATE);
  const sound = await decoder.decodeAudioData(file);
  const mixer = new OfflineAudioContext(1, Math.min(sound.length, MAX_AUDIO), AUDIO_RATE);
  const source = mixer.createBufferSource();
  source.buffer = sound;
  source.connect(mixer.destination);
  source.start();
  const mixed = await mixer.startRendering();
  const bytes = Uint8Array.from(mixed.getChannelData(0), (value) =>
    Math.max(0, Math.min(255, Math.round(value * 128 + 128))),
  );
  return { format: 'pcm_u8_8k', bytes, secs: sound.duration };
};

const isWav = (bytes: Uint8Array): boolean => {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return head.startsWith('RIFF') && head.endsWith('WAVE');
};

/** The tone of a file; null if neither the browser nor the server can read the file. */
export const toneOf = async (file: Blob): Promise<Tone | null> => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return await convert(bytes.slice().buffer);
  } catch {
    return isWav(bytes) ? { format: 'wav', bytes } : null;
  }
};

/** Plays samples unchanged; returns a function that stops the sound. */
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
    detached(context.close());
    ended();
  });
  source.start();
  return () => source.stop();
};
