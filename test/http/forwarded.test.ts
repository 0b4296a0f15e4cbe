import { expect } from 'chai';
import { describe, it } from 'mocha';
import { networkOf, unmapped } from '../../src/http/forwarded.js';

describe('A network that limits count as one client', () => {
  const same: readonly (readonly [address: string, network: string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::ffff:0:0:1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b:1:fffe:0:1:192.0.2.1', '64:ff9b:1:fffe'],
    ['unknown', 'unknown'],
  ];
  for (const [address, network] of same) {
    it(`${address} is of ${network}`, () => expect(networkOf(address)).to.equal(network));
  }

  it('an IPv4 address in one of IPv6 is one of IPv4, and nothing else is', () => {
    expect(
      ['::ffff:192.0.2.1', '::FFFF:192.0.2.1', '2001:db8::ffff:1', '192.0.2.1'].map(unmapped),
    ).to.deep.equal(['192.0.2.1', '192.0.2.1', '2001:db8::ffff:1', '192.0.2.1']);
  });
});
