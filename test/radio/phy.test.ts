import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { linked } from '../support/hci-scenes.js';

const updated = isLeEvent(LeSubevent.phyUpdateComplete);
const any = { allPhys: 0, txPhys: 7, rxPhys: 7, phyOptions: 0 };

describe('The PHY of a link', () => {
  it('is 1M at first', async () => {
    const { central, centralHandle: handle } = await linked();
    expect(await central.returned('leReadPhy', { handle })).to.deep.equal({ handle, txPhy: 1, rxPhy: 1 });
  });

  it('becomes the fastest that both sides prefer, for each direction, reported to both', async () => {
    const { central, peripheral, centralHandle, peripheralHandle } = await linked();
    // The peripheral's host would rather not receive on 2M.
    expect(await peripheral.status('leSetDefaultPhy', { allPhys: 0, txPhys: 3, rxPhys: 5 })).to.equal(0);
    expect(await central.status('leSetPhy', { handle: centralHandle, ...any })).to.equal(0);
    expect(text(await central.next(updated))).to.equal('04 3e 06 0c 00 40 00 01 02');
    expect(text(await peripheral.next(updated))).to.equal('04 3e 06 0c 00 40 00 02 01');
    expect(await peripheral.returned('leReadPhy', { handle: peripheralHandle })).to.include({
      txPhy: 2,
      rxPhy: 1,
    });
  });

  it('can be changed by the peripheral', async () => {
    const { central, peripheral, peripheralHandle: handle } = await linked();
    await peripheral.status('leSetPhy', { handle, ...any, txPhys: 4, rxPhys: 4, phyOptions: 2 });
    expect(text(await central.next(updated))).to.equal('04 3e 06 0c 00 40 00 03 03');
  });

  it('is reported to the requesting side alone if it does not change', async () => {
    const { central, peripheral, centralHandle: handle } = await linked();
    await central.status('leSetPhy', { handle, ...any, txPhys: 1, rxPhys: 1 });
    expect(text(await central.next(updated))).to.equal('04 3e 06 0c 00 40 00 01 01');
    await otherTurns();
    expect(peripheral.take(updated)).to.deep.equal([]);
  });

  it('stays when the two have no preference in common', async () => {
    const { central, peripheral, centralHandle: handle } = await linked();
    await peripheral.status('leSetDefaultPhy', { allPhys: 0, txPhys: 1, rxPhys: 1 });
    await central.status('leSetPhy', { handle, ...any, txPhys: 2, rxPhys: 2 });
    expect(text(await central.next(updated))).to.equal('04 3e 06 0c 00 40 00 01 01');
  });

  it('named by no bit is 0x12, by a bit of none 0x11 (Core 5.4 Vol 4 Part E 7.8.49)', async () => {
    const { central, centralHandle: handle } = await linked();
    expect(await central.status('leSetPhy', { handle, ...any, txPhys: 0 })).to.equal(0x12);
    expect(await central.status('leSetPhy', { handle, ...any, rxPhys: 8 })).to.equal(0x11);
    expect(await central.status('leSetPhy', { handle, ...any, allPhys: 3, txPhys: 0, rxPhys: 0 })).to.equal(
      0,
    );
  });
});
