import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LinkLog } from '../../src/ble/hci/link-log.js';
import { bytes } from '../support/hci-host.js';

/** Events without their H4 type, of the link 0x0040 (Core 5.4 Vol 4 Part E 7.7.5, 7.7.65.1 and 7.7.65.10). */
const PEER = '03 01 00 00 00 CE D1';
const PRIVATE = '01 00 00 00 00 40 02 00 00 00 00 40';
const PARAMETERS = '06 00 01 00 C8 00 05';
const PLAIN = `3E 13 01 00 40 00 00 ${PEER} ${PARAMETERS}`;
const ENDED = '05 04 00 40 00 13';

const link = {
  ...{ handle: 0x40, isCentral: true, interval: 6, latency: 1, supervisionTimeout: 200 },
  peer: { address: 'D1:CE:00:00:00:01', type: 'random' },
};
const privateAddress = { address: '40:00:00:00:00:01', type: 'random' };

describe('The log of links', () => {
  const logOf = (...packets: readonly string[]) => {
    const log = new LinkLog((reported) => reported);
    for (const packet of packets) log.take(bytes(packet));
    return log;
  };

  for (const [event, packet, expected] of [
    ['Connection Complete', PLAIN, undefined],
    ['Enhanced Connection Complete', `3E 1F 0A 00 40 00 00 ${PEER} ${PRIVATE} ${PARAMETERS}`, privateAddress],
    [
      'Enhanced Connection Complete, version 2',
      `3E 22 29 00 40 00 00 ${PEER} ${PRIVATE} ${PARAMETERS} FF FF FF`,
      privateAddress,
    ],
  ] as const) {
    it(`reads a link from ${event}`, () =>
      expect(logOf(packet).get(0x40)).to.deep.equal({ ...link, privateAddress: expected }));
  }

  it('has no link that failed or ended', () => {
    expect(logOf(PLAIN.replace('01 00 40', '01 3E 40')).all).to.deep.equal([]);
    expect(logOf(PLAIN, ENDED).all).to.deep.equal([]);
    expect(logOf(PLAIN, '05 04 02 40 00 13').all, 'Unknown Connection Identifier').to.have.length(1);
  });

  it('keeps the links of controllers apart', () => {
    const log = logOf(PLAIN);
    expect(log.take(bytes(ENDED), 1)).to.deep.equal({});
    expect(log.take(bytes(ENDED)).ended).to.include({ handle: 0x40 });
  });
});
