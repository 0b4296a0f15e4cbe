/** A custom tone: 8-bit unsigned PCM, 8 kHz, mono (docs/cgd1-protocol.md §8). */

/** Samples per second; one byte each. */
export const AUDIO_RATE = 8000;

/** Bytes of audio in one block. */
export const AUDIO_BLOCK = 128;

/** The clock acknowledges every fourth block, and the last. */
export const AUDIO_BLOCKS_PER_ACK = 4;

const UNIT = AUDIO_BLOCK * AUDIO_BLOCKS_PER_ACK;

/** The most bytes of a tone, with padding: 192 times 512. */
export const MAX_AUDIO = 98_304;

/** The least ATT_MTU with which a block fits one packet: 130 bytes and 3 of ATT. */
export const AUDIO_MTU = AUDIO_BLOCK + 2 + 3;

const PAD_FIRST = 0x00;
const PAD = 0xff;

/** Pads audio to a multiple of 512 bytes, with one 00 and then FF. */
export const padAudio = (samples: Buffer): Buffer => {
  const padding = Buffer.alloc((UNIT - (samples.length % UNIT)) % UNIT, PAD);
  if (padding.length > 0) padding.writeUInt8(PAD_FIRST);
  return Buffer.concat([samples, padding]);
};

/** The blocks of padded audio, in order. */
export const audioBlocks = (padded: Buffer): readonly Buffer[] =>
  Array.from({ length: Math.ceil(padded.length / AUDIO_BLOCK) }, (_, index) =>
    padded.subarray(index * AUDIO_BLOCK, (index + 1) * AUDIO_BLOCK),
  );

/** Whether the clock acknowledges block `index` (from 0) of `count`. */
export const isAcknowledged = (index: number, count: number): boolean =>
  (index + 1) % AUDIO_BLOCKS_PER_ACK === 0 || index + 1 === count;
