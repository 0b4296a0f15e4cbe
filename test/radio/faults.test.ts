import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode } from '../../src/ble/hci/packets.js';
import type { FaultSpec } from '../../simulators/radio/index.js';
import { isEvent, settle } from '../support/hci-host.js';
import { PERIPHERAL, advertise, connectionTo, linked, pair } from '../support/hci-scenes.js';

type Scene = Awaited<ReturnType<typeof linked>>;

const sends = ({ peripheral, peripheralHandle }: Scene, count: number, from = 0): void => {
  for (let index = 0; index < count; index++)
    peripheral.acl(peripheralHandle, 0, Buffer.from([from + index]));
};
const heard = ({ central }: Scene) => central.takeAcl().map(({ data }) => data[0]);
const hits = ({ air }: Pick<Scene, 'air'>) => air.faults.list().map((fault) => fault.hits);

describe('The fault', () => {
  it('link_loss ends the link at once, both sides hear 0x08, and is counted', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: PERIPHERAL, type: 'link_loss', times: 1 });
    expect((await scene.central.disconnected()).reason).to.equal(0x08);
    expect((await scene.peripheral.disconnected()).reason).to.equal(0x08);
    expect(hits(scene)).to.deep.equal([1]);
    expect(scene.air.linkCount).to.equal(0);
  });

  it('link_loss after N ends the link at the device’s Nth packet, which is lost with it', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: PERIPHERAL, type: 'link_loss', after: 3, times: 1 });
    sends(scene, 2);
    await settle();
    expect(heard(scene)).to.deep.equal([0, 1]);
    sends(scene, 2, 2);
    expect((await scene.central.disconnected()).reason).to.equal(0x08);
    expect(heard(scene)).to.deep.equal([]);
  });

  it('silence takes the device’s packets, as often as it says, though the link lives', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: PERIPHERAL, type: 'silence', times: 2 });
    sends(scene, 3);
    await settle();
    expect(heard(scene)).to.deep.equal([2]);
    expect(hits(scene)).to.deep.equal([2]);
    const returned = scene.peripheral.take(isEvent(EventCode.numberOfCompletedPackets));
    expect(
      returned.reduce((sum, event) => sum + event.readUInt16LE(6), 0),
      'credits',
    ).to.equal(3);
  });

  it('delay holds back each of the device’s packets, as often as it says, in order', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: PERIPHERAL, type: 'delay', ms: 100, times: 2 });
    sends(scene, 3);
    await settle();
    expect(heard(scene)).to.deep.equal([]);
    expect(hits(scene)).to.deep.equal([2]);
    scene.clock.advance(100);
    await settle();
    expect(heard(scene)).to.deep.equal([0, 1, 2]);
  });

  it('loss costs the device’s link time, and is counted', async () => {
    const scene = await linked({ seed: 3 });
    scene.air.faults.add({ device: PERIPHERAL, type: 'loss', rate: 0.5 });
    sends(scene, 20);
    await settle();
    const atOnce = heard(scene).length;
    for (let event = 0; event < 40; event++) {
      scene.clock.advance(2);
      await settle(2);
    }
    expect(atOnce).to.be.below(20);
    expect(atOnce + heard(scene).length).to.equal(20);
    expect(hits(scene)[0]).to.be.above(0);
  });

  it('failed_establishment fails as many attempts as it says', async () => {
    const { air, clock, central, peripheral } = await pair();
    air.faults.add({ device: PERIPHERAL, type: 'failed_establishment', times: 2 });
    await advertise(peripheral);
    for (const ends of [true, true, false]) {
      await central.status('leCreateConnection', connectionTo(PERIPHERAL));
      await central.connected();
      clock.advance(1);
      await settle();
      expect(central.take(isEvent(EventCode.disconnectionComplete))).to.have.length(ends ? 1 : 0);
    }
    expect(hits({ air })).to.deep.equal([2]);
  });

  it('of one device leaves the others alone; of all, none', async () => {
    for (const [device, expected] of [
      ['D2:00:00:00:00:02', [0]],
      ['all', []],
    ] as const) {
      const scene = await linked();
      scene.air.faults.add({ device, type: 'silence' });
      sends(scene, 1);
      await settle();
      expect(heard(scene)).to.deep.equal(expected);
    }
  });
});

describe('The list of faults', () => {
  const spec: FaultSpec = { device: PERIPHERAL, type: 'silence' };

  it('shows each with its id and what it did', async () => {
    const { air } = await pair();
    expect(air.faults.add(spec)).to.deep.equal({ ...spec, id: 'f1', hits: 0 });
    expect(air.faults.add({ ...spec, times: 2 }).id).to.equal('f2');
    expect(air.faults.list().map(({ id }) => id)).to.deep.equal(['f1', 'f2']);
  });

  it('forgets one by id, after which it acts no more', async () => {
    const scene = await linked();
    const fault = scene.air.faults.add(spec);
    expect(scene.air.faults.remove(fault.id)).to.deep.equal(fault);
    expect(scene.air.faults.remove(fault.id)).to.equal(undefined);
    sends(scene, 1);
    await settle();
    expect(heard(scene)).to.deep.equal([0]);
  });

  it('is empty again after a reset of the air, as its settings and places are', async () => {
    const { air } = await pair({ loss: 0.1, seed: 5 });
    air.faults.add(spec);
    air.configure({ pace: 'real', loss: 0.5, latencyMs: 9, seed: 6 });
    air.place(PERIPHERAL, { inRange: false, rssi: -99 });
    air.reset();
    expect(air.faults.list()).to.deep.equal([]);
    expect(air.settings).to.deep.equal({ pace: 'fast', loss: 0.1, latencyMs: 0, seed: 5 });
    expect(air.placeOf(PERIPHERAL)).to.deep.equal({ rssi: -60, inRange: true });
  });
});
