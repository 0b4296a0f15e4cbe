import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { PERIPHERAL, advertise, connectionTo, linked, pair } from '../support/hci-scenes.js';

const changed = isLeEvent(LeSubevent.dataLengthChange);

describe('The data length of a link', () => {
  it('is reported to both sides when one of them sets it', async () => {
    const { central, peripheral, centralHandle: handle } = await linked();
    const set = { handle, txOctets: 251, txTime: 2120 };
    expect(await central.returned('leSetDataLength', set)).to.deep.equal({ handle });
    // 251 octets and 2120 µs one way, 27 and 328 as before the other way.
    expect(text(await central.next(changed))).to.equal('04 3e 0b 07 40 00 fb 00 48 08 1b 00 48 01');
    expect(text(await peripheral.next(changed))).to.equal('04 3e 0b 07 40 00 1b 00 48 01 fb 00 48 08');
  });

  it('is not reported if it is in force already', async () => {
    const { central, peripheral, centralHandle: handle } = await linked();
    expect(await central.status('leSetDataLength', { handle, txOctets: 27, txTime: 328 })).to.equal(0);
    await otherTurns();
    expect([...central.take(changed), ...peripheral.take(changed)]).to.deep.equal([]);
  });

  it('of new links is what their hosts suggested', async () => {
    const { central, peripheral } = await pair();
    const suggested = { txOctets: 100, txTime: 17040 };
    expect(await central.status('leWriteSuggestedDefaultDataLength', suggested)).to.equal(0);
    expect(await central.returned('leReadSuggestedDefaultDataLength', {})).to.deep.equal(suggested);
    await advertise(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    // 17,040 µs are for the Coded PHY; 2120 are all that 1M takes.
    expect(text(await peripheral.next(changed))).to.equal('04 3e 0b 07 40 00 1b 00 48 01 64 00 48 08');
    expect(text(await central.next(changed))).to.equal('04 3e 0b 07 40 00 64 00 48 08 1b 00 48 01');
  });

  it('of links without such a wish is 27 octets, and nothing is said', async () => {
    const { central, peripheral } = await linked();
    await otherTurns();
    expect([...central.take(changed), ...peripheral.take(changed)]).to.deep.equal([]);
  });

  it('takes longer on the Coded PHY', async () => {
    const { central, centralHandle: handle } = await linked();
    await central.status('leSetDataLength', { handle, txOctets: 251, txTime: 17040 });
    await central.next(changed);
    await central.status('leSetPhy', { handle, allPhys: 0, txPhys: 4, rxPhys: 4, phyOptions: 0 });
    expect(text(await central.next(changed))).to.equal('04 3e 0b 07 40 00 fb 00 90 42 1b 00 48 01');
  });

  // Core 5.4 Vol 4 Part E 7.8.33 and 7.8.35.
  for (const wrong of [{ txOctets: 26 }, { txOctets: 252 }, { txTime: 327 }, { txTime: 17041 }]) {
    it(`${JSON.stringify(wrong)}: 0x12`, async () => {
      const { central, centralHandle: handle } = await linked();
      const wanted = { txOctets: 27, txTime: 328, ...wrong };
      expect(await central.status('leSetDataLength', { handle, ...wanted })).to.equal(0x12);
      expect(await central.status('leWriteSuggestedDefaultDataLength', wanted)).to.equal(0x12);
    });
  }
});
