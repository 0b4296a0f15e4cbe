import { expect } from 'chai';
import { describe, it } from 'mocha';
import { addressText, ah } from '../../simulators/ble/device-address.js';
import { aesCmac, c1, f4, f5, f6, g2, keyPair, s1 } from '../../simulators/smp/crypto.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import { bytes } from '../support/hci-host.js';

const address = (type: DeviceAddress['type'], octets: string): DeviceAddress => ({
  ...{ type, address: addressText(bytes(octets)) },
});

/** Core 5.4 Vol 3 Part H Appendix D, and Vol 2 Part G 7.1.2 for the keys. */
const U = bytes('20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6');
const V = bytes('55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd');
const DH_KEY = bytes('ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698');
const N1 = bytes('d5cb8454d177733effffb2ec712baeab');
const N2 = bytes('a6e8e7cc25a75f6e216583f7ff3dc4cf');
const A1 = address('public', '56123737bfce');
const A2 = address('public', 'a713702dcfc1');

describe('The cryptography of pairing, by the sample data of the Core specification', () => {
  for (const [length, mac] of [
    [0, 'bb1d6929e95937287fa37d129b756746'],
    [16, '070a16b46b4d4144f79bdd9dd04a287c'],
    [40, 'dfa66747de9ae63030ca32611497c827'],
    [64, '51f0bebf7e3b9d92fc49741779363cfe'],
  ] as const) {
    it(`has the AES-CMAC of ${length} octets (D.1, RFC 4493 4)`, () => {
      const message = bytes(
        '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51' +
          '30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
      );
      const key = bytes('2b7e151628aed2a6abf7158809cf4f3c');
      expect(aesCmac(key, message.subarray(0, length)).toString('hex')).to.equal(mac);
    });
  }

  it('has f4 (D.2), f5 (D.3), f6 (D.4) and g2 (D.5)', () => {
    expect(f4(U, V, N1, 0).toString('hex')).to.equal('f2c916f107a9bd1cf1eda1bea974872d');
    const { macKey, longTermKey } = f5(DH_KEY, N1, N2, A1, A2);
    expect(longTermKey.toString('hex')).to.equal('6986791169d7cd23980522b594750a38');
    expect(macKey.toString('hex')).to.equal('2965f176a1084a02fd3f6a20ce636e20');
    const r = bytes('12a3343bb453bb5408da42d20c2d0fc8');
    const check = f6(macKey, N1, N2, r, bytes('010102'), A1, A2);
    expect(check.toString('hex')).to.equal('e3c473989cd0e8c5d26c0b09da958f61');
    // The last six decimal digits of 0x2f9ed5ba.
    expect(g2(U, V, N1, N2)).to.equal(938_554);
  });

  it('has ah (D.7)', () => {
    const key = bytes('ec0234a357c8ad05341010a60a397d9b');
    expect(ah(key, bytes('708194')).toString('hex')).to.equal('0dfbaa');
  });

  it('has the confirm value c1 and the key s1 of legacy pairing (2.2.3, 2.2.4)', () => {
    const zero = Buffer.alloc(16);
    const confirm = c1(zero, bytes('5783d52156ad6f0e6388274ec6702ee0'), {
      ...{ request: bytes('07071000000101'), response: bytes('05000800000302') },
      ...{ initiator: address('random', 'a1a2a3a4a5a6'), responder: address('public', 'b1b2b3b4b5b6') },
    });
    expect(confirm.toString('hex')).to.equal('1e1e3fef878988ead2a74dc5bef13b86');
    const key = s1(
      zero,
      bytes('000f0e0d0c0b0a091122334455667788'),
      bytes('010203040506070899aabbccddeeff00'),
    );
    expect(key.toString('hex')).to.equal('9a1fe1f0e8b0f49b5b4216ae796da062');
  });

  it('has the shared secret of both key pairs, and none with a point off the curve', () => {
    const a = keyPair(bytes('3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd'));
    const b = keyPair(bytes('55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd'));
    expect(a.x.toString('hex')).to.equal(U.toString('hex'));
    expect(a.secretWith(b.x, b.y)?.toString('hex')).to.equal(DH_KEY.toString('hex'));
    expect(b.secretWith(a.x, a.y)?.toString('hex')).to.equal(DH_KEY.toString('hex'));
    expect(a.secretWith(b.x, a.y)).to.equal(undefined);
  });
});
