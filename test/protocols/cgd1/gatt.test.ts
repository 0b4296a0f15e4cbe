import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as protocol from '../../../src/protocols/cgd1/index.js';

/** docs/cgd1-protocol.md §2. */
describe('clock protocol: GATT', () => {
  it('has the service of the vendor with five characteristics', () => {
    const { CLOCK_SERVICE, paddedUuid } = protocol;
    expect(CLOCK_SERVICE).to.equal('22210000-554a-4546-5542-46534450464d'.replaceAll('-', ''));
    const { AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY } = protocol;
    const padded = [AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY].map(paddedUuid);
    expect(padded).to.deep.equal(['0001', '0002', '000b', '000c', '0100']);
    expect(READING_NOTIFY).to.equal('100');
  });

  it('has the battery service, and service data of two kinds', () => {
    expect([protocol.BATTERY_SERVICE, protocol.BATTERY_LEVEL].map(protocol.paddedUuid)).to.deep.equal([
      '180f',
      '2a19',
    ]);
    expect([protocol.READING_SERVICE_DATA, protocol.XIAOMI_SERVICE_DATA]).to.deep.equal(['fdcd', 'fe95']);
  });
});
