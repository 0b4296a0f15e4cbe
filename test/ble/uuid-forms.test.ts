import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withShortUuid } from '../../simulators/peripheral/short-uuids.js';
import { uuidText } from '../../src/ble/hci/att.js';
import { bytes, text } from '../support/hci-host.js';
import { rows } from '../support/rows.js';

/** A 16-bit UUID in its 128-bit form in packets (Core 5.4 Vol 3 Part B 2.5.1): the Base UUID with the 16 bits in place of its first zeros. */
const long = (short: string): string => `FB 34 9B 5F 80 00 00 80 00 10 00 00 ${short} 00 00`;

describe('A 16-bit UUID in its 128-bit form', () => {
  it('equals its short form, unlike a UUID of 32 bits or of another base', () => {
    expect(uuidText(bytes(long('0D 18')))).to.equal('180d');
    expect(uuidText(bytes('0D 18'))).to.equal('180d');
    expect(uuidText(bytes('FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 01 00'))).to.equal(
      '0001180d00001000800000805f9b34fb',
    );
    expect(uuidText(bytes('9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 01 00 40 6E'))).to.equal(
      '6e400001b5a3f393e0a9e50e24dcca9e',
    );
  });

  for (const [request, short] of rows(
    2,
    `
    10 01 00 FF FF ${long('00 28')} | 10 01 00 ff ff 00 28
    08 01 00 FF FF ${long('03 28')} | 08 01 00 ff ff 03 28
    06 01 00 FF FF 00 28 ${long('00 18')} | 06 01 00 ff ff 00 28 00 18
    06 01 00 FF FF 00 28 00 18 | 06 01 00 ff ff 00 28 00 18
    08 01 00 FF FF 9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 01 00 40 6E | 08 01 00 ff ff 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e
    12 03 00 00 00 ${long('00 28')} | 12 03 00 00 00 ${long('00 28').toLowerCase()}
    08 01 | 08 01
    `,
  )) {
    it(`is shortened for bleno in the request ${request.slice(0, 40)}`, () => {
      expect(text(withShortUuid(bytes(request)))).to.equal(short);
    });
  }
});
