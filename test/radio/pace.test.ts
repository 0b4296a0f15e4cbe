import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isAcl, isLeEvent, otherTurns } from '../support/hci-host.js';
import { extendedScan } from '../support/extended-scenes.js';
import { PERIPHERAL, advertise, linked, pair, scan } from '../support/hci-scenes.js';

const packet = (index: number): Buffer => Buffer.from([index]);

describe('At fast pace', () => {
  it('packets pass immediately, without any time passing', async () => {
    const { time, central, peripheral, centralHandle } = await linked();
    const before = time.now();
    central.acl(centralHandle, 0, packet(1));
    await peripheral.next(isAcl);
    expect(time.now()).to.equal(before);
  });

  it('every advertiser is reported immediately when a scan starts, then every 20 ms', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral, { type: 3, intervalMin: 0x4000, intervalMax: 0x4000 });
    await scan(central, 0);
    const report = isLeEvent(LeSubevent.advertisingReport);
    expect(central.take(report)).to.have.length(1);
    await time.pass(19);
    expect(central.take(report)).to.have.length(0);
    await time.pass(1);
    expect(central.take(report)).to.have.length(1);
    await time.pass(100);
    expect(central.take(report)).to.have.length(5);
  });

  it('a host in another program that scans as Linux does gets no report for 20 ms', async () => {
    const { time, central, peripheral } = await pair({}, { isRemote: true });
    await advertise(peripheral, { type: 3 });
    await extendedScan(central);
    await time.pass(19);
    const report = isLeEvent(LeSubevent.extendedAdvertisingReport);
    expect(central.take(report)).to.have.length(0);
    await time.pass(1);
    expect(central.take(report)).to.have.length(1);
  });

  it('the supervision timeout is 200 ms, or the agreed one if shorter', async () => {
    for (const [supervisionTimeout, ms] of [
      [3200, 200],
      [10, 100],
    ] as const) {
      const { air, time, central, hearsEnd } = await linked({}, { supervisionTimeout });
      air.setReception(PERIPHERAL, { inRange: false });
      await time.pass(ms - 1);
      expect(hearsEnd(central)).to.equal(false);
      time.advance(1);
      expect((await central.disconnected()).reason).to.equal(0x08);
    }
  });

  it('the time of devices runs 20 times as fast', async () => {
    const { air, time } = await pair();
    let done = false;
    air.deviceClock.after(1000, () => {
      done = true;
    });
    time.advance(49);
    expect(done).to.equal(false);
    time.advance(1);
    expect(done).to.equal(true);
  });
});

describe('At real pace', () => {
  it('advertising comes at the requested interval, and up to 10 ms of chance', async () => {
    const { time, central, peripheral } = await pair({ pace: 'real' });
    await advertise(peripheral, { type: 3 });
    await scan(central, 0);
    const report = isLeEvent(LeSubevent.advertisingReport);
    for (let event = 0; event < 20; event++) {
      // 0x00A0 × 0.625 ms = 100 ms.
      time.advance(99);
      await otherTurns(3);
      expect(central.take(report)).to.have.length(0);
      const from = time.now();
      while (central.take(report).length === 0) {
        expect(time.now() - from).to.be.below(12);
        time.advance(0.25);
        await otherTurns(3);
      }
    }
  });

  it('packets pass at connection events', async () => {
    const { time, central, peripheral, centralHandle, peripheralHandle } = await linked({ pace: 'real' });
    central.acl(centralHandle, 0, packet(1));
    peripheral.acl(peripheralHandle, 0, packet(2));
    await otherTurns();
    expect([...peripheral.take(isAcl), ...central.take(isAcl)]).to.deep.equal([]);
    await time.pass(7.5);
    expect(peripheral.takeAcl().map(({ data }) => data[0])).to.deep.equal([1]);
    expect(central.takeAcl().map(({ data }) => data[0])).to.deep.equal([2]);
  });

  it('a device that comes back before the timeout keeps its link and receives delayed packets', async () => {
    const { air, time, central, peripheral, centralHandle, hearsEnd } = await linked({ pace: 'real' });
    air.setReception(PERIPHERAL, { inRange: false });
    central.acl(centralHandle, 0, packet(1));
    time.advance(990);
    air.setReception(PERIPHERAL, { inRange: true });
    await time.pass(5000);
    expect(peripheral.takeAcl().map(({ data }) => data[0])).to.deep.equal([1]);
    expect(hearsEnd(central) || hearsEnd(peripheral)).to.equal(false);
  });

  it('a link without data does not time out', async () => {
    const { time, central, hearsEnd } = await linked({ pace: 'real' });
    await time.pass(60_000);
    expect(hearsEnd(central)).to.equal(false);
  });
});

describe('Latency', () => {
  it('is what every packet takes, not just the first of those under way', async () => {
    const { time, central, peripheral, centralHandle } = await linked({ latencyMs: 50 });
    const arrived = () => peripheral.takeAcl().map(({ data }) => data[0]);
    central.acl(centralHandle, 0, packet(1));
    time.advance(30);
    central.acl(centralHandle, 0, packet(2));
    await otherTurns();
    await time.pass(20);
    expect(arrived()).to.deep.equal([1]);
    await time.pass(29);
    expect(arrived()).to.deep.equal([]);
    await time.pass(1);
    expect(arrived()).to.deep.equal([2]);
  });

  it('does not let a later packet overtake when it is lowered', async () => {
    const { air, time, central, peripheral, centralHandle } = await linked({ latencyMs: 50 });
    central.acl(centralHandle, 0, packet(1));
    air.configure({ latencyMs: 0 });
    central.acl(centralHandle, 0, packet(2));
    await otherTurns();
    await time.pass(50);
    expect(peripheral.takeAcl().map(({ data }) => data[0])).to.deep.equal([1, 2]);
  });

  it('is each way on its own', async () => {
    const { time, central, peripheral, centralHandle, peripheralHandle } = await linked({ latencyMs: 50 });
    central.acl(centralHandle, 0, packet(1));
    time.advance(49);
    peripheral.acl(peripheralHandle, 0, packet(2));
    await time.pass(1);
    expect([peripheral.take(isAcl).length, central.take(isAcl).length]).to.deep.equal([1, 0]);
  });
});
