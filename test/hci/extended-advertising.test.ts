/** Legacy advertising as extended commands: bytes by hand from Core 5.4 Vol 4 Part E 7.8.5 to 7.8.9, 7.8.53 to 7.8.56. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { asExtended, asLegacy, asPlainConnection } from '../../src/ble/hci/extended-advertising.js';
import { bytes, text } from '../support/hci-host.js';

const REST = '00 00 00 00 00 00 00 07 00';

describe('Legacy advertising on a controller with extended advertising', () => {
  for (const [what, legacy, extended] of [
    [
      'ADV_IND every 100 ms: connectable, scannable, legacy PDUs',
      `01 06 20 0F A0 00 A0 00 00 00 ${REST}`,
      '01 36 20 19 EF 13 00 A0 00 00 A0 00 00 07 00 00 00 00 00 00 00 00 00 7F 01 00 01 00 00',
    ],
    [
      'ADV_SCAN_IND of a random address, between 1.28 s and 10.24 s, on channel 37 for the accept list',
      '01 06 20 0F 00 08 00 40 02 01 00 00 00 00 00 00 00 01 03',
      '01 36 20 19 EF 12 00 00 08 00 00 40 00 01 01 00 00 00 00 00 00 00 03 7F 01 00 01 00 00',
    ],
    [
      'ADV_NONCONN_IND',
      `01 06 20 0F A0 00 A0 00 03 00 ${REST}`,
      '01 36 20 19 EF 10 00 A0 00 00 A0 00 00 07 00 00 00 00 00 00 00 00 00 7F 01 00 01 00 00',
    ],
    [
      'ADV_DIRECT_IND of low duty cycle to 06:05:04:03:02:01',
      '01 06 20 0F A0 00 A0 00 04 00 01 01 02 03 04 05 06 07 00',
      '01 36 20 19 EF 15 00 A0 00 00 A0 00 00 07 00 01 01 02 03 04 05 06 00 7F 01 00 01 00 00',
    ],
    [
      'data, without what it is filled up with',
      `01 08 20 20 03 02 01 06 ${'00 '.repeat(28)}`,
      '01 37 20 07 EF 03 01 03 02 01 06',
    ],
    [
      'a scan response of 31 bytes',
      `01 09 20 20 1F ${'AA '.repeat(31)}`,
      `01 38 20 23 EF 03 01 1F ${'AA '.repeat(31)}`,
    ],
    ['an empty scan response', `01 09 20 20 00 ${'00 '.repeat(31)}`, '01 38 20 04 EF 03 01 00'],
    ['beginning, without an end', '01 0A 20 01 01', '01 39 20 06 01 01 EF 00 00 00'],
    ['stopping', '01 0A 20 01 00', '01 39 20 06 00 01 EF 00 00 00'],
    ['any other command', '01 01 10 00', '01 01 10 00'],
    ['ACL data', '02 06 20 03 00 01 02 03', '02 06 20 03 00 01 02 03'],
  ] as const) {
    it(`sends ${what}`, () => {
      expect(text(asExtended(bytes(legacy)))).to.equal(text(bytes(extended)));
    });
  }

  for (const [what, extended, legacy] of [
    ['parameters set, the power left out', '04 0E 05 01 36 20 00 07', '04 0E 04 01 06 20 00'],
    ['parameters refused while advertising', '04 0E 05 01 36 20 0C 00', '04 0E 04 01 06 20 0C'],
    ['data set', '04 0E 04 01 37 20 00', '04 0E 04 01 08 20 00'],
    ['scan response set', '04 0E 04 01 38 20 00', '04 0E 04 01 09 20 00'],
    ['no such set', '04 0E 04 01 39 20 42', '04 0E 04 01 0A 20 42'],
    ['the answer to another command', '04 0E 04 01 01 20 00', '04 0E 04 01 01 20 00'],
    ['the end of the set', '04 3E 06 12 00 EF 40 00 00', '04 3E 06 12 00 EF 40 00 00'],
    ['ACL data', '02 0E 20 03 00 36 20 03', '02 0E 20 03 00 36 20 03'],
  ] as const) {
    it(`hears: ${what}`, () => {
      expect(text(asLegacy(bytes(extended)))).to.equal(text(bytes(legacy)));
    });
  }

  it('hears an enhanced Connection Complete as a plain one, without its two resolvable addresses', () => {
    const fixed = { before: '00 40 00 01 01 01 02 03 04 05 C6', after: '06 00 00 00 90 01 00' };
    expect(
      text(asPlainConnection(bytes(`04 3E 1F 0A ${fixed.before} ${'AB '.repeat(12)} ${fixed.after}`))),
    ).to.equal(text(bytes(`04 3E 13 01 ${fixed.before} ${fixed.after}`)));
  });

  it('leaves a plain Connection Complete as it is', () => {
    const event = bytes('04 3E 13 01 00 40 00 01 01 01 02 03 04 05 C6 06 00 00 00 90 01 00');
    expect(asPlainConnection(event)).to.equal(event);
  });
});
