import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns } from '../support/hci-host.js';
import { CENTRAL, PERIPHERAL, advertise, connectionTo, hostOn, pair } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

const FIRST = 'C0:00:00:00:00:02';
const SECOND = 'C0:00:00:00:00:03';

describe('A link', () => {
  scenes({
    // Interval 6 × 1.25 ms, latency 2, timeout 100 × 10 ms (Core 5.4 Vol 4 Part E 7.7.65.1).
    'is reported to both sides with its role, its peer and its parameters; the first handle is 0x0040': `
      peripheral advertise; central leCreateConnection maxLatency=2
      central hears 04 3E 13 01 00 40 00 00 00 01 00 00 00 CE D1 06 00 02 00 64 00 00
      peripheral hears 04 3E 13 01 00 40 00 01 00 01 00 00 B0 A1 02 06 00 02 00 64 00 00`,
    'is made between random addresses too, reported with their type': `
      peripheral leSetRandomAddress address=${FIRST}; peripheral advertise ownAddressType=1
      central leSetRandomAddress address=${SECOND}
      central leCreateConnection peerAddress=${FIRST} peerAddressType=1 ownAddressType=1
      central hears connectionComplete peerAddress=${FIRST} peerAddressType=1
      peripheral hears connectionComplete peerAddress=${SECOND} peerAddressType=1`,
    'is not made with the same address of the other type': `
      peripheral advertise; central leCreateConnection peerAddressType=1; 1000 ms; central hears nothing`,
    'is made with the present address of its advertiser, not with an earlier one': `
      peripheral leSetRandomAddress address=${FIRST}; peripheral advertise ownAddressType=1
      peripheral leSetAdvertisingEnable enable=0; peripheral leSetRandomAddress address=${SECOND}
      peripheral leSetAdvertisingEnable
      central leCreateConnection peerAddress=${FIRST} peerAddressType=1; 1000 ms; central hears nothing
      central leCreateConnectionCancel; central hears connectionComplete status=2
      central leCreateConnection peerAddress=${SECOND} peerAddressType=1
      central hears connectionComplete status=0 peerAddress=${SECOND}`,
    'is not made with an advertiser that cannot be connected': `
      peripheral advertise type=2; central leCreateConnection; 1000 ms; central hears nothing
      peripheral leSetAdvertisingEnable enable=0; peripheral advertise type=3; 1000 ms; central hears nothing`,
    'leaves a scan as it was': `
      peripheral advertise; central scan; central leCreateConnection; other joins D2:00:00:00:00:02
      other advertise type=3; central forgets; 20 ms; central hears advertisingReport`,
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

  it('is not made if the central is full when it receives the advertiser', async () => {
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
});

describe('RSSI', () => {
  /** The RSSI in a report of the peripheral, to which the central then connects. */
  const reported = async (scene: Awaited<ReturnType<typeof pair>>): Promise<number> => {
    await play(scene, 'peripheral advertise; central scan');
    const report = await scene.central.next(isLeEvent(LeSubevent.advertisingReport));
    await play(scene, 'central leCreateConnection');
    return report.readInt8(report.length - 1);
  };

  it('is the present RSSI of the device, for scans and for links', async () => {
    const scene = await pair();
    const { air } = scene;
    air.setReception(PERIPHERAL, { rssi: -87 });
    expect(await reported(scene)).to.equal(-87);
    await play(scene, 'central readRssi -> handle=0x40 rssi=-87');
    air.setReception(PERIPHERAL, { rssi: -40 });
    await play(scene, 'central readRssi -> rssi=-40; peripheral readRssi -> handle=0x40 rssi=-40');
    expect(air.receptionOf(CENTRAL)).to.deep.equal({ rssi: -60, inRange: true });
  });

  it('may differ for one receiver, as the range may', async () => {
    const scene = await pair();
    const { air } = scene;
    air.setReception(PERIPHERAL, { rssi: -87 }, CENTRAL);
    expect(await reported(scene)).to.equal(-87);
    expect(air.receptionOf(PERIPHERAL)).to.deep.equal({ rssi: -60, inRange: true });
    const [peripheral, central] = [
      { address: PERIPHERAL, name: 'p', powered: true },
      { address: CENTRAL, name: 'c', powered: true },
    ];
    air.setReception(PERIPHERAL, { inRange: false }, CENTRAL);
    expect(air.reaches(peripheral, central)).to.equal(false);
    expect(air.reaches(peripheral, { ...central, address: 'AA:BB:CC:DD:EE:FF' })).to.equal(true);
    air.setReception(PERIPHERAL, { inRange: true }, CENTRAL);
    expect(air.receptionOf(PERIPHERAL, CENTRAL)).to.deep.equal({ rssi: -87, inRange: true });
  });

  it('is 127 if it is unknown, for scans and for links, even while it fades', async () => {
    const scene = await pair();
    scene.air.setReception(PERIPHERAL, { rssi: null });
    scene.air.faults.add({ device: PERIPHERAL, type: 'fading', depth_db: 30, period_ms: 1 });
    expect(await reported(scene)).to.equal(127);
    await play(scene, 'central readRssi -> rssi=127');
  });
});
