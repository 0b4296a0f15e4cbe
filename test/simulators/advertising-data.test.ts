import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  AdType,
  MAX_ADVERTISING_DATA,
  completeName,
  completeUuids,
  decodeAdvertisingData,
  encodeAdvertisingData,
  generalDiscoverable,
  uuidBytes,
} from '../../simulators/ble/advertising-data.js';
import { bytes, text } from '../support/hci-host.js';

/** Golden bytes by Core 5.4 Vol 3 Part C 11 and the Core Specification Supplement Part A. */
describe('Advertising data', () => {
  it('is length, type and value of each structure', () => {
    const data = encodeAdvertisingData([
      generalDiscoverable,
      { type: AdType.completeUuids16, value: uuidBytes('180f') },
      completeName('Die'),
    ]);
    expect(text(data)).to.equal('02 01 06 03 03 0f 18 04 09 44 69 65');
  });

  it('carries a 128-bit UUID least significant byte first', () => {
    expect(text(uuidBytes('6E400001-B5A3-F393-E0A9-E50E24DCCA9E'))).to.equal(
      '9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e',
    );
  });

  it('lists UUIDs of 16 and of 128 bits in separate structures', () => {
    const data = encodeAdvertisingData(
      completeUuids(['180d', '6e400001-b5a3-f393-e0a9-e50e24dcca9e', '180f']),
    );
    expect(text(data)).to.equal('05 03 0d 18 0f 18 11 07 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e');
    expect(completeUuids([])).to.deep.equal([]);
  });

  it('counts bytes of UTF-8 in a name, not letters', () => {
    expect(text(encodeAdvertisingData([completeName('Würfel')]))).to.equal('08 09 57 c3 bc 72 66 65 6c');
  });

  it('is refused when it is over 31 bytes', () => {
    const name = (length: number) => [completeName('x'.repeat(length))];
    expect(encodeAdvertisingData(name(29))).to.have.length(MAX_ADVERTISING_DATA);
    expect(() => encodeAdvertisingData(name(30))).to.throw(RangeError, 'at most 31 bytes, got 32');
  });

  it('is read up to a zero length', () => {
    expect(decodeAdvertisingData(bytes('02 01 06 00 02 09 41'))).to.deep.equal([generalDiscoverable]);
  });

  it('is read without a structure that is cut short', () => {
    expect(decodeAdvertisingData(bytes('02 01 06 05 09 41'))).to.deep.equal([generalDiscoverable]);
    expect(decodeAdvertisingData(bytes('02'))).to.deep.equal([]);
  });

  it('can be read from any bytes at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (data) => {
        const structures = decodeAdvertisingData(Buffer.from(data));
        const size = structures.reduce((sum, { value }) => sum + value.length + 2, 0);
        expect(size).to.be.at.most(data.length);
      }),
    );
  });
});
