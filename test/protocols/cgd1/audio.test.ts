import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import {
  AUDIO_BLOCK,
  AUDIO_MTU,
  MAX_AUDIO,
  audioBlocks,
  isAcknowledged,
  padAudio,
} from '../../../src/protocols/cgd1/index.js';

describe('clock protocol: audio', () => {
  it('is padded to 512 bytes with one 00 and then FF', () => {
    const padded = padAudio(Buffer.from([0x80, 0x81]));
    expect(padded).to.have.length(512);
    expect(padded.subarray(0, 5)).to.deep.equal(Buffer.from([0x80, 0x81, 0x00, 0xff, 0xff]));
    expect(padded[511]).to.equal(0xff);
    expect(padAudio(Buffer.alloc(511))).to.deep.equal(Buffer.alloc(512));
  });

  it('is not padded if its blocks are full or it is empty', () => {
    expect(padAudio(Buffer.alloc(1024, 0x80))).to.deep.equal(Buffer.alloc(1024, 0x80));
    expect(padAudio(Buffer.alloc(0))).to.have.length(0);
  });

  it('is acknowledged at every fourth block and at the last', () => {
    const acknowledged = Array.from({ length: 10 }, (_, index) => index).filter((index) =>
      isAcknowledged(index, 10),
    );
    expect(acknowledged).to.deep.equal([3, 7, 9]);
  });

  it('needs room for 130 bytes in a packet', () => {
    expect(AUDIO_MTU).to.equal(133);
    expect(MAX_AUDIO % (4 * AUDIO_BLOCK)).to.equal(0);
  });

  it('is the same after it is cut into blocks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (array) => {
        const samples = Buffer.from(array);
        const padded = padAudio(samples);
        const blocks = audioBlocks(padded);
        expect(blocks.every(({ length }) => length === AUDIO_BLOCK)).to.be.true;
        expect(Buffer.concat(blocks)).to.deep.equal(padded);
        expect(padded.subarray(0, samples.length)).to.deep.equal(samples);
      }),
    );
  });
});
