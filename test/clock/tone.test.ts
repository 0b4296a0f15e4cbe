import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { readTone, type ToneFormat } from '../../src/clock/audio/tone.js';
import { sine, wav, type WavScript } from '../support/wav.js';

const samples = (format: ToneFormat, file: Buffer): Buffer => {
  const tone = readTone(format, file);
  if (E.isLeft(tone)) throw new Error(tone.left);
  return tone.right;
};

const complaint = (format: ToneFormat, file: Buffer): string => {
  const tone = readTone(format, file);
  return E.isLeft(tone) ? tone.left : 'accepted';
};

describe('a tone', () => {
  const expected = Buffer.from(sine(8_000, 0.5).map((value) => Math.round(128 + value * 128)));

  const scripts: readonly WavScript[] = [
    ...[8, 16, 24, 32].map((bits) => ({ rate: 8_000, bits })),
    ...[32, 64].map((bits) => ({ rate: 8_000, bits, float: true })),
    { rate: 44_100, bits: 16, channels: 2 },
    { rate: 48_000, bits: 24, channels: 6, extensible: true },
    { rate: 96_000, bits: 32, float: true, extensible: true },
    { rate: 11_025, bits: 8 },
    { rate: 4_000, bits: 16 },
  ];
  for (const script of scripts) {
    it(`is read from a WAV: ${JSON.stringify(script)}`, () => {
      const tone = samples('wav', wav(script, sine(script.rate, 0.5)));
      expect(tone.length).to.equal(4_000);
      const furthest = Math.max(...tone.map((value, n) => Math.abs(value - (expected[n] ?? 0))));
      expect(furthest).to.be.below(script.rate === 8_000 ? 2 : 20);
    });
  }

  it('of 8 bits, mono, 8 kHz is taken as it is', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    expect(
      samples(
        'wav',
        wav(
          { rate: 8_000, bits: 8 },
          [...bytes].map((value) => (value - 128) / 128),
        ),
      ),
    ).to.deep.equal(bytes);
    expect(samples('pcm_u8_8k', bytes)).to.equal(bytes);
  });

  it('of floats is cut at full volume, and silent where there is no number', () => {
    const file = wav({ rate: 8_000, bits: 32, float: true }, [2, -2, NaN]);
    expect([...samples('wav', file)]).to.deep.equal([255, 0, 128]);
  });

  it('may last as long as fits, and no longer', () => {
    expect(samples('pcm_u8_8k', Buffer.alloc(98_304)).length).to.equal(98_304);
    const sentence = 'the tone must last at most 12.288 s, got 12.3 s';
    expect(complaint('pcm_u8_8k', Buffer.alloc(98_305))).to.equal(sentence);
    expect(complaint('wav', wav({ rate: 16_000, bits: 8 }, sine(16_000, 12.3)))).to.equal(sentence);
  });

  const file = wav({ rate: 8_000, bits: 16 }, sine(8_000, 0.1));
  const bad: readonly (readonly [string, Buffer, string])[] = [
    ['nothing', Buffer.alloc(0), 'the file is no WAV: it must begin with RIFF and WAVE'],
    ['no WAV', Buffer.from('ID3 and so on, for a while'), 'the file is no WAV'],
    [
      'no format',
      wav({ rate: 8_000, bits: 16 }, []).subarray(0, 12),
      'the WAV is cut short: it has no samples',
    ],
    ['no samples', wav({ rate: 8_000, bits: 16 }, []), 'the tone has no samples'],
    [
      'half the samples',
      file.subarray(0, 1_000),
      'the WAV is cut short: its "data" chunk has 944 of 1600 bytes',
    ],
    ['half the format', file.subarray(0, 40), 'the WAV is cut short: its "fmt " chunk has 8 of 16 bytes'],
    ['no channels', wav({ rate: 8_000, bits: 16, channels: 0 }, [1]), '0 channels of 16 bits at 8000 Hz'],
    ['no rate', wav({ rate: 0, bits: 16 }, [1]), '1 channels of 16 bits at 0 Hz'],
    ['floats of 16 bits', Buffer.from(file).fill(3, 32, 33), 'there is no such sound'],
    [
      'ADPCM',
      Buffer.from(file).fill(2, 32, 33),
      'the WAV must be uncompressed (format 1 or 3), got format 2',
    ],
  ];
  for (const [what, bytes, sentence] of bad) {
    it(`with ${what} is refused`, () => {
      expect(complaint('wav', bytes)).to.contain(sentence);
    });
  }
});
