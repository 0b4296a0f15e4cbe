import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { CENTRAL, PERIPHERAL, advertise, connectionTo, hostOn, pair, scan } from '../support/hci-scenes.js';

const connectionComplete = isLeEvent(LeSubevent.connectionComplete);

describe('A link', () => {
  it('is reported to both sides with its role, its peer and its parameters; the first handle is 0x0040', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral);
    await central.status('leCreateConnection', { ...connectionTo(PERIPHERAL), maxLatency: 2 });
    // Interval 6 × 1.25 ms, latency 2, timeout 100 × 10 ms (Core 5.4 Vol 4 Part E 7.7.65.1).
    expect(text(await central.next(connectionComplete))).to.equal(
      '04 3e 13 01 00 40 00 00 00 01 00 00 00 ce d1 06 00 02 00 64 00 00',
    );
    expect(text(await peripheral.next(connectionComplete))).to.equal(
      '04 3e 13 01 00 40 00 01 00 01 00 00 b0 a1 02 06 00 02 00 64 00 00',
    );
  });

  it('is made between random addresses too, reported with their type', async () => {
    const { central, peripheral } = await pair();
    await peripheral.status('leSetRandomAddress', { address: 'C0:00:00:00:00:02' });
    await central.status('leSetRandomAddress', { address: 'C0:00:00:00:00:01' });
    await advertise(peripheral, { ownAddressType: 1 });
    await central.status('leCreateConnection', {
      ...connectionTo('C0:00:00:00:00:02'),
      peerAddressType: 1,
      ownAddressType: 1,
    });
    const [there, here] = await Promise.all([central.connected(), peripheral.connected()]);
    expect([there.peerAddress, there.peerAddressType]).to.deep.equal(['C0:00:00:00:00:02', 1]);
    expect([here.peerAddress, here.peerAddressType]).to.deep.equal(['C0:00:00:00:00:01', 1]);
  });

  it('does not come about with the same address of the other type', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral);
    await central.status('leCreateConnection', { ...connectionTo(PERIPHERAL), peerAddressType: 1 });
    await time.pass(1000);
    expect(central.take()).to.deep.equal([]);
  });

  it('is made with the address that its advertiser has now, and with none that it had', async () => {
    const { time, central, peripheral } = await pair();
    for (const address of ['C0:00:00:00:00:02', 'C0:00:00:00:00:03']) {
      await peripheral.status('leSetRandomAddress', { address });
      await advertise(peripheral, { ownAddressType: 1 });
      await peripheral.status('leSetAdvertisingEnable', { enable: 0 });
    }
    await peripheral.status('leSetAdvertisingEnable', { enable: 1 });
    const to = (peerAddress: string) => ({ ...connectionTo(peerAddress), peerAddressType: 1 });
    await central.status('leCreateConnection', to('C0:00:00:00:00:02'));
    await time.pass(1000);
    expect(central.take()).to.deep.equal([]);
    await central.status('leCreateConnectionCancel', {});
    central.take();
    await central.status('leCreateConnection', to('C0:00:00:00:00:03'));
    expect((await central.connected()).peerAddress).to.equal('C0:00:00:00:00:03');
  });

  it('starts no timer of other advertisers while it is awaited', async () => {
    const { air, time, central, peripheral } = await pair({ pace: 'real' });
    await advertise(await hostOn(air, { address: '02:A1:B0:00:00:02' }));
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    expect(time.pending).to.equal(0);
    await advertise(peripheral);
    expect(time.pending).to.equal(1);
    time.advance(110);
    expect((await central.connected()).peerAddress).to.equal(PERIPHERAL);
  });

  it('is not made with an advertiser that cannot be connected', async () => {
    for (const type of [2, 3]) {
      const { time, central, peripheral } = await pair();
      await advertise(peripheral, { type });
      await central.status('leCreateConnection', connectionTo(PERIPHERAL));
      await time.pass(1000);
      expect(central.take()).to.deep.equal([]);
    }
  });

  it('is not made beyond the free room when the advertiser is received', async () => {
    const { air, central, peripheral } = await pair({}, { maxLinks: 1 });
    const other = await hostOn(air, { address: '02:A1:B0:00:00:02', name: 'hci1' });
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    await advertise(central);
    await other.status('leCreateConnection', connectionTo(CENTRAL));
    expect((await central.connected()).role).to.equal(1);
    await advertise(peripheral);
    await otherTurns();
    expect(central.controller.links.size).to.equal(1);
    expect(await central.status('leCreateConnectionCancel', {})).to.equal(0);
  });

  it('leaves a scan as it was', async () => {
    const { time, central, peripheral, air } = await pair();
    await advertise(peripheral);
    await scan(central, 0);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    await central.connected();
    const other = await hostOn(air, { address: 'D2:00:00:00:00:02' });
    await advertise(other, { type: 3 });
    central.take();
    await time.pass(20);
    expect(central.take(isLeEvent(LeSubevent.advertisingReport))).to.not.deep.equal([]);
  });
});

describe('RSSI', () => {
  it('is where the device is, for scans and for links, at the moment of asking', async () => {
    const { air, central, peripheral } = await pair();
    air.setReception(PERIPHERAL, { rssi: -87 });
    await advertise(peripheral, { type: 0 });
    await scan(central, 0);
    const report = await central.next(isLeEvent(LeSubevent.advertisingReport));
    expect(report.readInt8(report.length - 1)).to.equal(-87);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    const { handle } = await central.connected();
    expect(await central.returned('readRssi', { handle })).to.deep.equal({ handle, rssi: -87 });
    air.setReception(PERIPHERAL, { rssi: -40 });
    const { handle: back } = await peripheral.connected();
    expect(await central.returned('readRssi', { handle })).to.deep.equal({ handle, rssi: -40 });
    expect(await peripheral.returned('readRssi', { handle: back })).to.deep.equal({
      handle: back,
      rssi: -40,
    });
    expect(air.receptionOf(CENTRAL)).to.deep.equal({ rssi: -60, inRange: true });
  });

  it('and range may be other ones for one receiver alone', async () => {
    const { air, central, peripheral } = await pair();
    air.setReception(PERIPHERAL, { rssi: -87 }, CENTRAL);
    await advertise(peripheral, { type: 0 });
    await scan(central, 0);
    const report = await central.next(isLeEvent(LeSubevent.advertisingReport));
    expect(report.readInt8(report.length - 1)).to.equal(-87);
    expect(air.receptionOf(PERIPHERAL)).to.deep.equal({ rssi: -60, inRange: true });
    const [one, two] = [
      { address: PERIPHERAL, name: 'p', powered: true },
      { address: CENTRAL, name: 'c', powered: true },
    ];
    air.setReception(PERIPHERAL, { inRange: false }, CENTRAL);
    expect(air.reaches(one, two)).to.equal(false);
    expect(air.reaches(one, { ...two, address: 'AA:BB:CC:DD:EE:FF' })).to.equal(true);
    air.setReception(PERIPHERAL, { inRange: true }, CENTRAL);
    expect(air.receptionOf(PERIPHERAL, CENTRAL)).to.deep.equal({ rssi: -87, inRange: true });
  });

  it('is 127 where it is unknown, for scans and for links, whatever fades', async () => {
    const { air, central, peripheral } = await pair();
    air.setReception(PERIPHERAL, { rssi: null });
    air.faults.add({ device: PERIPHERAL, type: 'fading', depth_db: 30, period_ms: 1 });
    await advertise(peripheral, { type: 0 });
    await scan(central, 0);
    const report = await central.next(isLeEvent(LeSubevent.advertisingReport));
    expect(text(report.subarray(-1))).to.equal('7f');
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    const { handle } = await central.connected();
    expect(await central.returned('readRssi', { handle })).to.deep.equal({ handle, rssi: 127 });
  });
});
