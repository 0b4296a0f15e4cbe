import { expect } from 'chai';
import { describe, it } from 'mocha';
import { countBytes, hexByte, hexBytes, hexNumber, hexText } from '../../src/bytes/index.js';

describe('Bytes as people read them', () => {
  it('are two digits each, in upper case, with spaces or without', () => {
    const some = Buffer.from([0x04, 0xff, 0x00]);
    expect(hexByte(13)).to.equal('0D');
    expect(hexText(some)).to.equal('04FF00');
    expect(hexBytes(some)).to.equal('04 FF 00');
    expect(hexBytes(Buffer.alloc(0))).to.equal('(empty)');
  });

  it('are numbers of as many digits as asked for, two at least', () => {
    expect([hexNumber(13), hexNumber(0xabc), hexNumber(13, 4)]).to.deep.equal(['0x0D', '0xABC', '0x000D']);
  });

  it('are counted', () => {
    expect([0, 1, 2].map(countBytes)).to.deep.equal(['0 bytes', '1 byte', '2 bytes']);
  });
});
