/** WAV files. */

export interface WavScript {
  readonly rate: number;
  readonly bits: number;
  readonly channels?: number;
  readonly float?: boolean;
  readonly extensible?: boolean;
}

const chunk = (name: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(name);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
};

const sampleBytes = (value: number, { bits, float = false }: WavScript): Buffer => {
  const bytes = Buffer.alloc(bits / 8);
  if (float && bits === 32) bytes.writeFloatLE(value);
  else if (float) bytes.writeDoubleLE(value);
  else if (bits === 8) bytes.writeUInt8(Math.min(255, Math.round(128 + value * 128)));
  else {
    const full = 2 ** (bits - 1);
    bytes.writeIntLE(Math.min(full - 1, Math.round(value * full)), 0, bits / 8);
  }
  return bytes;
};

/** A file of `samples` (-1 to 1), each on all channels. */
export const wav = (script: WavScript, samples: readonly number[]): Buffer => {
  const { rate, bits, channels = 1, float = false, extensible = false } = script;
  const format = Buffer.alloc(extensible ? 40 : 16);
  const tag = float ? 3 : 1;
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE((rate * channels * bits) / 8, 8);
  format.writeUInt16LE((channels * bits) / 8, 12);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(tag, 24);
  const data = samples.flatMap((value) => Array<Buffer>(channels).fill(sampleBytes(value, script)));
  const content = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('LIST', Buffer.from('odd')),
    chunk('fmt ', format),
    chunk('data', Buffer.concat(data)),
  ]);
  return chunk('RIFF', content);
};

/** `seconds` of a sine at half the full volume. */
export const sine = (rate: number, seconds: number, hertz = 440): readonly number[] =>
  Array.from(
    { length: Math.round(rate * seconds) },
    (_, n) => Math.sin((2 * Math.PI * hertz * n) / rate) / 2,
  );
