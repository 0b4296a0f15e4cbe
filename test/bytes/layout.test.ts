import { expect } from 'chai';
import { describe, it } from 'mocha';
import { address, bytes, i8, layout, u16, u8 } from '../../src/bytes/index.js';

const everything = layout({ small: u8, signed: i8, wide: u16, peer: address, data: bytes(3) });
const values = {
  small: 0xfe,
  signed: -2,
  wide: 0x1234,
  peer: 'D1:CE:00:00:0A:01',
  data: Buffer.from([1, 2, 3]),
};
/** Multi-octet fields are little-endian (Core 5.4 Vol 4 Part E 5.2). */
const written = 'fe' + 'fe' + '3412' + '010a0000ced1' + '010203';

describe('A layout of HCI fields', () => {
  it('writes fields in order, least significant byte first', () => {
    expect(everything.size).to.equal(13);
    expect(everything.write(values).toString('hex')).to.equal(written);
  });

  it('reads them back, whatever follows', () => {
    expect(everything.read(Buffer.from(`${written}ffff`, 'hex'))).to.deep.equal(values);
  });

  it('fills bytes that are too short with zeros and leaves out what is too long', () => {
    const { write } = layout({ data: bytes(3) });
    expect(write({ data: Buffer.from([9]) }).toString('hex')).to.equal('090000');
    expect(write({ data: Buffer.from([1, 2, 3, 4]) }).toString('hex')).to.equal('010203');
  });

  it('hands out bytes of its own, so that a reused packet buffer does not change them', () => {
    const packet = Buffer.from([1, 2, 3]);
    const { data } = layout({ data: bytes(3) }).read(packet);
    packet.fill(0xff);
    expect(data.toString('hex')).to.equal('010203');
  });

  it('throws for a number that does not fit its field, rather than send another', () => {
    expect(() => layout({ small: u8 }).write({ small: 256 })).to.throw(RangeError);
    expect(() => layout({ wide: u16 }).write({ wide: -1 })).to.throw(RangeError);
  });
});
