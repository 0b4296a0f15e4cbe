import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { openTone, type ToneFormat } from '../../src/clock/audio/tone.js';
import { resampledLength, resampling } from '../../src/clock/audio/resampling.js';
import { sine, wav, type WavScript } from '../../features/support/wav.js';

const read = (format: ToneFormat, ...pieces: readonly Buffer[]): E.Either<string, Buffer> => {
  const reader = openTone(format);
  for (const piece of pieces) {
    const taken = reader.take(piece);
    if (E.isLeft(taken)) return taken;
  }
  return reader.end();
};

const samples = (format: ToneFormat, ...pieces: readonly Buffer[]): Buffer => {
  const tone = read(format, ...pieces);
  if (E.isLeft(tone)) throw new Error(tone.left);
  return tone.right;
};

const warning = (format: ToneFormat, file: Buffer): string => {
  const tone = read(format, file);
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

  it('is copied from 8 bits, mono, 8 kHz', () => {
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
    expect(samples('pcm_u8_8k', bytes)).to.deep.equal(bytes);
  });

  it('is cut at full volume from floats, and silent at NaN', () => {
    const file = wav({ rate: 8_000, bits: 32, float: true }, [2, -2, NaN]);
    expect([...samples('wav', file)]).to.deep.equal([255, 0, 128]);
  });

  it('may last 12.288 s, and no longer', () => {
    expect(samples('pcm_u8_8k', Buffer.alloc(98_304)).length).to.equal(98_304);
    const message = 'the tone must last at most 12.288 s, got 12.3 s';
    expect(warning('pcm_u8_8k', Buffer.alloc(98_305))).to.equal(message);
    expect(warning('wav', wav({ rate: 16_000, bits: 8 }, sine(16_000, 12.3)))).to.equal(message);
  });

  const file = wav({ rate: 8_000, bits: 16 }, sine(8_000, 0.1));
  /** A file with other names for its second and third chunk. */
  const withChunks = (whole: Buffer, second: string, third: string): Buffer => {
    const renamed = Buffer.from(whole);
    renamed.write(second, 24, 'latin1');
    renamed.write(third, 48, 'latin1');
    return renamed;
  };
  const short = (script: Partial<WavScript>): Buffer => wav({ rate: 8_000, bits: 16, ...script }, [1]);
  const none = wav({ rate: 8_000, bits: 16 }, []);
  const withByte = (value: number, at: number): Buffer => Buffer.from(file).fill(value, at, at + 1);
  const CUT = 'the WAV is cut short:';
  const bad: readonly (readonly [string, Buffer, string])[] = [
    ['nothing', Buffer.alloc(0), 'the file is not a WAV: it must begin with RIFF and WAVE'],
    ['another format', Buffer.from('ID3 and so on, for a while'), 'the file is not a WAV'],
    ['no format', none.subarray(0, 12), `${CUT} it has no samples`],
    ['no samples', none, 'the tone has no samples'],
    ['half the samples', file.subarray(0, 1_000), `${CUT} its "data" chunk has 944 of 1600 bytes`],
    ['half the format', file.subarray(0, 40), `${CUT} its "fmt " chunk has 8 of 16 bytes`],
    ['no channels', short({ channels: 0 }), 'channels of the WAV must be 1 to 8, got 0'],
    ['9 channels', short({ channels: 9 }), 'channels of the WAV must be 1 to 8, got 9'],
    ['999 Hz', short({ rate: 999 }), 'sample rate of the WAV must be 1000 to 384000 Hz, got 999'],
    ['384,001 Hz', short({ rate: 384_001 }), 'sample rate of the WAV must be 1000 to 384000 Hz, got 384001'],
    ['samples of 40 bits', withByte(40, 46), 'bits per sample of the WAV must be 1 to 32, got 40'],
    ['floats of 16 bits', withByte(3, 32), 'bits per sample of the WAV must be 32 or 64 for floats, got 16'],
    ['its samples before their format', withChunks(file, 'data', 'fmt '), 'the WAV has no format'],
    ['ADPCM', withByte(2, 32), 'the WAV must be uncompressed (format 1 or 3), got format 2'],
  ];
  for (const [defect, bytes, message] of bad) {
    it(`is refused with ${defect}`, () => {
      expect(warning('wav', bytes)).to.contain(message);
    });
  }

  it('is read from the lowest and highest rates', () => {
    expect(samples('wav', wav({ rate: 1_000, bits: 8, channels: 8 }, sine(1_000, 0.5))).length).to.equal(
      4_000,
    );
    expect(samples('wav', wav({ rate: 384_000, bits: 8 }, sine(384_000, 0.25))).length).to.equal(2_000);
  });

  it('is the same for all pieces of a file', () => {
    const files = [
      wav({ rate: 11_025, bits: 24, channels: 2 }, sine(11_025, 0.05)),
      wav({ rate: 5_512, bits: 32, channels: 3, float: true, extensible: true }, sine(5_512, 0.05)),
      wav({ rate: 8_000, bits: 16 }, sine(8_000, 0.05)),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.array(fc.nat(2_000)), (whole, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((place, n) => whole.subarray(places[n], place));
        expect(samples('wav', ...pieces)).to.deep.equal(samples('wav', whole));
      }),
    );
    const [first = file] = files;
    const bytes = Array.from({ length: first.length }, (_, n) => first.subarray(n, n + 1));
    expect(samples('wav', ...bytes)).to.deep.equal(samples('wav', first));
  });

  it('counts each sample once', () => {
    // Each resampled sample is an average: equal samples stay equal.
    for (const rate of [11_025, 22_050, 44_100, 95_999]) {
      const length = Math.round(rate * 0.4);
      const put: number[] = [];
      const take = resampling({ rate, length }, (sample) => put.push(sample));
      for (let n = 0; n < length; n++) take(1);
      expect(put).to.have.length(resampledLength({ rate, length }));
      expect(new Set(put)).to.deep.equal(new Set([1]));
    }
  });

  it('keeps only the beginning of a chunk of 4 MiB of chunks', () => {
    const chunk = Buffer.from('junk\0\0\0\0', 'latin1');
    const piece = Buffer.concat(Array<Buffer>(4_096).fill(chunk));
    const reader = openTone('wav');
    expect(reader.take(file.subarray(0, 12))).to.deep.equal(E.right(undefined));
    for (let n = 0; n < 128; n++) expect(reader.take(piece)).to.deep.equal(E.right(undefined));
    expect(reader.held).to.be.at.most(1_024);
    expect(reader.end()).to.deep.equal(E.left('the WAV is cut short: it has no samples'));
  });

  it('takes memory for its samples, not for its file', () => {
    const script = { rate: 384_000, bits: 32, channels: 8 };
    const second = wav(script, Array<number>(96_000).fill(0.5));
    const reader = openTone('wav');
    for (let offset = 0; offset < second.length; offset += 32_768) {
      expect(reader.take(second.subarray(offset, offset + 32_768))).to.deep.equal(E.right(undefined));
    }
    expect(reader.held).to.be.at.most(2 * 2_000);
    expect(reader.end()).to.deep.equal(E.right(Buffer.alloc(2_000, 192)));
  });

  it('takes at most twice the memory of 98,304 samples that come one by one', () => {
    const reader = openTone('pcm_u8_8k');
    for (let size = 1; size <= 98_304; size++) {
      reader.take(Buffer.from([size % 256]));
      if (reader.held > Math.max(1_024, 2 * size)) throw new Error(`${reader.held} bytes for ${size}`);
    }
    const tone = reader.end();
    expect(E.isRight(tone) && tone.right.length).to.equal(98_304);
  });

  it('ends with its samples, and ignores data after them', () => {
    const more = Buffer.from('LIST\xff\xff\xff\x7fcut short', 'latin1');
    expect(samples('wav', file, more)).to.deep.equal(samples('wav', file));
  });
});
