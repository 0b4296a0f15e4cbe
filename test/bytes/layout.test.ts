import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  address,
  bytes,
  countBytes,
  endingWith,
  flag,
  hexByte,
  hexBytes,
  hexNumber,
  hexText,
  i8,
  layout,
  list,
  orNothing,
  shortBytes,
  u16,
  u8,
  unlessShort,
  upTo,
} from '../../src/bytes/index.js';

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

  it('reads its fields back, whatever bytes follow', () => {
    expect(everything.read(Buffer.from(`${written}ffff`, 'hex'))).to.deep.equal(values);
  });

  it('names the expected and the actual length of a short packet', () => {
    const read = (hex: string) => () => everything.read(Buffer.from(hex, 'hex'));
    expect(read(written.slice(0, -2))).to.throw('at least 13 bytes expected, got 12');
    expect(read('')).to.throw('at least 1 byte expected, got 0');
  });

  it('fills bytes that are too short with zeros and cuts bytes that are too long', () => {
    const { write } = layout({ data: bytes(3) });
    expect(write({ data: Buffer.from([9]) }).toString('hex')).to.equal('090000');
    expect(write({ data: Buffer.from([1, 2, 3, 4]) }).toString('hex')).to.equal('010203');
  });

  it('copies bytes, so that a reused packet buffer does not change them', () => {
    const packet = Buffer.from([1, 2, 3]);
    const { data } = layout({ data: bytes(3) }).read(packet);
    packet.fill(0xff);
    expect(data.toString('hex')).to.equal('010203');
  });

  it('throws for a number that does not fit its field', () => {
    expect(() => layout({ small: u8 }).write({ small: 256 })).to.throw(RangeError);
    expect(() => layout({ wide: u16 }).write({ wide: -1 })).to.throw(RangeError);
  });
});

describe('A list', () => {
  const three = layout({ before: u8, switches: list(3, flag('a switch')) });

  it('writes and reads its values one after the other', () => {
    const values = { before: 9, switches: [true, false, true] };
    expect(three.write(values).toString('hex')).to.equal('09010001');
    expect(three.read(Buffer.from('09010001', 'hex'))).to.deep.equal(values);
  });

  it('leaves the places of missing values 0', () => {
    expect(three.write({ before: 9, switches: [true] }).toString('hex')).to.equal('09010000');
  });

  it('has the first problem of its values', () => {
    expect(three.problem(Buffer.from('09010001', 'hex'))).to.equal(undefined);
    expect(three.problem(Buffer.from('09010307', 'hex'))).to.equal('a switch must be 0 or 1, got 3');
  });
});

describe('A field that may be left out', () => {
  const volume = orNothing('volume', upTo('the volume', 5));

  it('accepts no bytes, and otherwise has the problem of its field', () => {
    expect(volume.problem(Buffer.alloc(0))).to.equal(undefined);
    expect(volume.problem(Buffer.from([5]))).to.equal(undefined);
    expect(volume.problem(Buffer.from([6]))).to.equal('the volume must be 0 to 5, got 6');
  });
});

describe('A fixed end', () => {
  it('is required in the bytes', () => {
    const ended = endingWith(layout({ slot: u8 }), Buffer.from('ff0a', 'hex'));
    expect(ended.problem(Buffer.from('03ff0a', 'hex'))).to.equal(undefined);
    expect(ended.problem(Buffer.from('03ff0b', 'hex'))).to.equal(
      'the bytes must end with FF 0A, got 03 FF 0B',
    );
  });
});

describe('Reading a packet that may be short', () => {
  it('ignores a packet shorter than its fields', () => {
    const seen: number[] = [];
    const packet = Buffer.from('ff00', 'hex');
    unlessShort(() => seen.push(u16.read(packet, 0)));
    unlessShort(() => seen.push(u16.read(packet, 1)));
    expect(seen).to.deep.equal([0xff]);
  });

  it('throws all other errors', () => {
    const defect = new RangeError('a defect');
    expect(() =>
      unlessShort(() => {
        throw defect;
      }),
    ).to.throw(defect);
  });
});

describe('Bytes as texts for people', () => {
  it('are two digits each, in upper case, with spaces or without', () => {
    const some = Buffer.from([0x04, 0xff, 0x00]);
    expect(hexByte(13)).to.equal('0D');
    expect(hexText(some)).to.equal('04FF00');
    expect(hexBytes(some)).to.equal('04 FF 00');
    expect(hexBytes(Buffer.alloc(0))).to.equal('(empty)');
    const line = '00 '.repeat(24).trim();
    expect([24, 25].map((length) => shortBytes(Buffer.alloc(length)))).to.deep.equal([line, `${line} …`]);
  });

  it('are hex numbers of at least two digits, or of a given number of digits', () => {
    expect([hexNumber(13), hexNumber(0xabc), hexNumber(13, 4)]).to.deep.equal(['0x0D', '0xABC', '0x000D']);
  });

  it('are counted', () => {
    expect([0, 1, 2].map(countBytes)).to.deep.equal(['0 bytes', '1 byte', '2 bytes']);
  });
});
