import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ah, isMadeWith, isResolvable, makeResolvable } from '../../../simulators/ble/device-address.js';
import { bytes } from '../../support/hci-host.js';
import { rows } from '../../support/rows.js';

/** The first is the sample data of Core 5.4 Vol 3 Part H Appendix D.7; the others were computed with OpenSSL 3.0. */
const SAMPLES = rows(
  3,
  `
  ec0234a357c8ad05341010a60a397d9b | 708194 | 0dfbaa
  ec0234a357c8ad05341010a60a397d9b | 400001 | a712b0
  01010101010101010101010101010101 | 5a1b2c | bbe89d
  000102030405060708090a0b0c0d0e0f | 7fffff | d344d8
  `,
);

const addressOf = (prand: string, hash: string): string =>
  (`${prand}${hash}`.toUpperCase().match(/../g) ?? []).join(':');

describe('A resolvable private address', () => {
  for (const [irk, prand, hash] of SAMPLES) {
    it(`has the hash ${hash} of ${prand} and the key ${irk}`, () => {
      expect(ah(bytes(irk), bytes(prand)).toString('hex')).to.equal(hash);
      expect(isMadeWith(bytes(irk), addressOf(prand, hash))).to.equal(true);
    });
  }

  it('does not match another key, or with another bit', () => {
    const [[irk, prand, hash]] = SAMPLES as [(typeof SAMPLES)[number]];
    expect(isMadeWith(Buffer.alloc(16, 1), addressOf(prand, hash))).to.equal(false);
    expect(isMadeWith(bytes(irk), addressOf(prand, '0dfbab'))).to.equal(false);
    expect(isMadeWith(bytes(irk), addressOf('708195', hash))).to.equal(false);
  });

  it('is a random address that begins with the bits 01', () => {
    const is = (address: string, type: 'random' | 'public' = 'random') => isResolvable({ address, type });
    expect(is('40:00:00:00:00:00')).to.equal(true);
    expect(is('7F:FF:FF:FF:FF:FF')).to.equal(true);
    expect(is('70:81:94:0D:FB:AA', 'public')).to.equal(false);
    expect(is('3F:81:94:0D:FB:AA')).to.equal(false);
    expect(is('C0:81:94:0D:FB:AA')).to.equal(false);
  });

  it('is made with any random number, whose other 22 bits are neither all 0 nor all 1', () => {
    const irk = bytes('ec0234a357c8ad05341010a60a397d9b');
    // The value 0x308193 of 0x3FFFFE becomes 0x308194, the 22 bits of the sample's prand.
    expect(makeResolvable(irk, (0x308193 + 0.5) / 0x3ffffe)).to.equal('70:81:94:0D:FB:AA');
    expect(makeResolvable(irk, 0)).to.equal('40:00:01:A7:12:B0');
    const last = makeResolvable(irk, 1 - Number.EPSILON);
    expect(last.slice(0, 8)).to.equal('7F:FF:FE');
    expect(isMadeWith(irk, last)).to.equal(true);
  });
});
