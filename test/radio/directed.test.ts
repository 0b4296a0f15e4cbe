import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { extendedScan } from '../support/extended-scenes.js';
import { isLeEvent, text } from '../support/hci-host.js';
import {
  CENTRAL,
  PERIPHERAL,
  advertise,
  advertisingParameters,
  connectionTo,
  hostOn,
  pair,
  scan,
} from '../support/hci-scenes.js';

const HIGH_DUTY = 1;
const LOW_DUTY = 4;
const report = isLeEvent(LeSubevent.advertisingReport);
const at = (peerAddress: string, type: number) => ({ type, peerAddress, peerAddressType: 0 });

describe('Directed advertising', () => {
  it('is received by its target, as ADV_DIRECT_IND without data, and by no other', async () => {
    for (const type of [HIGH_DUTY, LOW_DUTY]) {
      const { air, central, peripheral } = await pair();
      const other = await hostOn(air, { address: '02:A1:B0:00:00:02' });
      await advertise(peripheral, at(CENTRAL, type));
      await scan(central, 0);
      await scan(other, 0);
      expect(central.take(report).map(text)).to.deep.equal(['04 3e 0c 02 01 01 00 01 00 00 00 ce d1 00 c4']);
      expect(other.take(report)).to.deep.equal([]);
    }
  });

  it('reports its target to an extended scanner', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral, at(CENTRAL, LOW_DUTY));
    await extendedScan(central);
    // Connectable, directed, legacy: 0x0015 (Core 5.4 Vol 4 Part E 7.7.65.13).
    expect(text(await central.next(isLeEvent(LeSubevent.extendedAdvertisingReport)))).to.equal(
      '04 3e 1a 0d 01 15 00 00 01 00 00 00 ce d1 01 00 ff 7f c4 00 00 00 01 00 00 b0 a1 02 00',
    );
  });

  it('connects its target and no other', async () => {
    const { air, time, central, peripheral } = await pair();
    const other = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await advertise(peripheral, at(CENTRAL, LOW_DUTY));
    await other.status('leCreateConnection', connectionTo(PERIPHERAL));
    await time.pass(100);
    expect(other.take()).to.deep.equal([]);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    expect((await central.connected()).status).to.equal(0);
  });

  it('at high duty cycle comes every 3.75 ms, whatever interval the host has set', async () => {
    const { time, central, peripheral } = await pair({ pace: 'real' });
    await advertise(peripheral, { ...at(CENTRAL, HIGH_DUTY), intervalMin: 0x0800, intervalMax: 0x0800 });
    await scan(central, 0);
    await time.pass(15);
    expect(central.take(report)).to.have.length(4);
  });

  it('at high duty cycle ends after 1.28 s with Connection Complete 0x3C', async () => {
    const { time, peripheral } = await pair();
    await advertise(peripheral, at(CENTRAL, HIGH_DUTY));
    await time.pass(1279);
    expect(peripheral.take()).to.deep.equal([]);
    time.advance(1);
    expect((await peripheral.connected()).status).to.equal(0x3c);
    expect(await peripheral.status('leSetAdvertisingParameters', advertisingParameters)).to.equal(0);
  });

  it('started again has its whole time again', async () => {
    const { time, peripheral } = await pair();
    await advertise(peripheral, at(CENTRAL, HIGH_DUTY));
    time.advance(1000);
    await peripheral.status('leSetAdvertisingEnable', { enable: 0 });
    await peripheral.status('leSetAdvertisingEnable', { enable: 1 });
    await time.pass(1000);
    expect(peripheral.take()).to.deep.equal([]);
    time.advance(280);
    expect((await peripheral.connected()).status).to.equal(0x3c);
    expect(time.pending).to.equal(0);
  });

  it('at low duty cycle does not end', async () => {
    const { time, peripheral } = await pair();
    await advertise(peripheral, at(CENTRAL, LOW_DUTY));
    await time.pass(60_000);
    expect(peripheral.take()).to.deep.equal([]);
  });
});
