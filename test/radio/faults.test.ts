import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode } from '../../src/ble/hci/packets.js';
import type { FaultSpec } from '../../simulators/radio/index.js';
import { bytes, isEvent, otherTurns } from '../support/hci-host.js';
import {
  CENTRAL,
  PERIPHERAL,
  advertise,
  connectionTo,
  hostOn,
  linked,
  pair,
  scan,
} from '../support/hci-scenes.js';
import { scenes } from '../support/scenes.js';

type Scene = Awaited<ReturnType<typeof linked>>;

const sends = ({ peripheral, peripheralHandle }: Scene, count: number, from = 0): void => {
  for (let index = 0; index < count; index++)
    peripheral.acl(peripheralHandle, 0, Buffer.from([from + index]));
};
const received = ({ central }: Scene) => central.takeAcl().map(({ data }) => data[0]);
const hits = ({ air }: Pick<Scene, 'air'>) => air.faults.list().map((fault) => fault.hits);

const WRITE = '04 00 04 00 12 0C 00 01';
const NOTIFICATION = '04 00 04 00 1B 0C 00 01';

describe('The fault', () => {
  scenes(
    {
      'link_loss after N ends the link at the device’s Nth packet, which is lost with it': `
        air fault device=${PERIPHERAL} type=link_loss after=3 times=1
        peripheral sends 00; peripheral sends 01; central hears data 00, data 01
        peripheral sends 02; peripheral sends 03; central hears disconnectionComplete reason=8, nothing`,
      'delay delays each of the device’s packets, as often as configured, in order': `
        air fault device=${PERIPHERAL} type=delay ms=100 times=2
        peripheral sends 00; peripheral sends 01; peripheral sends 02; central hears nothing; air hits 2
        100 ms; central hears data 00, data 01, data 02`,
      'link_loss with an opcode ends the link at the Nth such PDU of either side': `
        air fault device=${PERIPHERAL} type=link_loss opcode=0x12 after=2 times=1
        central sends ${WRITE}; peripheral sends ${NOTIFICATION}
        peripheral hears data ${WRITE}; central hears data ${NOTIFICATION}; central sends ${WRITE}
        central hears disconnectionComplete reason=8; peripheral hears disconnectionComplete, nothing; air hits 1`,
      'link_loss of an adapter ends all its links': `
        air fault device=hci0 type=link_loss; peripheral hears disconnectionComplete reason=8; air hits 1`,
      'silence of another device leaves a device alone': `
        air fault device=D2:00:00:00:00:02 type=silence; peripheral sends 00; central hears data 00`,
      'silence of all devices affects each device': `
        air fault device=all type=silence; peripheral sends 00; central hears nothing`,
    },
    linked,
  );

  scenes({
    // Connection Complete, Channel Selection Algorithm (bits 0 and 19; Core 5.4 Vol 4 Part E 7.8.1).
    'failed_establishment is reported like a link, with its channel selection algorithm': `
      central leSetEventMask mask=x0100080000000000; air fault device=${PERIPHERAL} type=failed_establishment
      peripheral advertise; central leCreateConnection; 1 ms
      central hears 04 3E 13 01 00 40 00 00 00 01 00 00 00 CE D1 06 00 00 00 64 00 00
      central hears 04 3E 04 14 40 00 01, 04 05 04 00 40 00 3E, nothing`,
  });

  it('silence drops the device’s packets, as often as configured, and the link stays', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: PERIPHERAL, type: 'silence', times: 2 });
    sends(scene, 3);
    await otherTurns();
    expect(received(scene)).to.deep.equal([2]);
    expect(hits(scene)).to.deep.equal([2]);
    expect(scene.air.hooks.at.acl_from_host, 'of a spent fault').to.equal(undefined);
    const returned = scene.peripheral.take(isEvent(EventCode.numberOfCompletedPackets));
    expect(
      returned.reduce((sum, event) => sum + event.readUInt16LE(6), 0),
      'credits',
    ).to.equal(3);
  });

  it('loss costs the device’s link time, and is counted', async () => {
    const scene = await linked({ seed: 3 });
    scene.air.faults.add({ device: PERIPHERAL, type: 'loss', rate: 0.5 });
    sends(scene, 20);
    await otherTurns();
    const early = received(scene).length;
    for (let event = 0; event < 40; event++) {
      scene.time.advance(2);
      await otherTurns(2);
    }
    expect(early).to.be.below(20);
    expect(early + received(scene).length).to.equal(20);
    expect(hits(scene)[0]).to.be.above(0);
  });

  it('failed_establishment leaves a link that the host may end before it has failed', async () => {
    const { air, time, central, peripheral } = await pair({ pace: 'real' });
    air.faults.add({ device: PERIPHERAL, type: 'failed_establishment', times: 1 });
    await advertise(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    const connected = central.connected();
    const isReported = connected.then(() => true);
    while (!(await Promise.race([isReported, otherTurns().then(() => false)]))) time.advance(1);
    const { handle } = await connected;
    // Command Status 0x00, then Disconnection Complete with 0x16 (Core 5.4 Vol 4 Part E 7.1.6).
    expect(await central.status('disconnect', { handle, reason: 0x13 })).to.equal(0x00);
    expect((await central.disconnected()).reason).to.equal(0x16);
    expect(await central.status('disconnect', { handle, reason: 0x13 })).to.equal(0x02);
    await time.pass(1000);
    expect(central.take(isEvent(EventCode.disconnectionComplete))).to.deep.equal([]);
  });

  it('drop drops each Nth packet of an opcode at a stage', async () => {
    const scene = await linked();
    scene.air.faults.add({
      ...{ device: PERIPHERAL, type: 'drop', stage: 'acl_from_host' },
      ...{ opcode: 0x1b, after: 2, times: 2 },
    });
    for (let index = 0; index < 7; index++) {
      scene.peripheral.acl(
        scene.peripheralHandle,
        0,
        Buffer.concat([bytes('04 00 04 00 1B 0C 00'), Buffer.from([index])]),
      );
      scene.peripheral.acl(scene.peripheralHandle, 0, bytes('03 00 04 00 13 00 00'));
    }
    await otherTurns();
    const values = scene.central.takeAcl().filter(({ data }) => data[4] === 0x1b);
    expect(values.map(({ data }) => data[7])).to.deep.equal([0, 2, 4, 5, 6]);
    expect(hits(scene)).to.deep.equal([2]);
  });

  it('drop with a rate drops about that part of all packets, the same with the same seed', async () => {
    const receivedWith = async (seed: number): Promise<readonly (number | undefined)[]> => {
      const scene = await linked({ seed });
      scene.air.faults.add({ device: PERIPHERAL, type: 'drop', stage: 'acl_from_host', rate: 0.5 });
      sends(scene, 100);
      await otherTurns();
      return received(scene);
    };
    const first = await receivedWith(7);
    expect(first.length).to.be.within(25, 75);
    expect(await receivedWith(7)).to.deep.equal(first);
    expect(await receivedWith(8)).to.not.deep.equal(first);
  });

  it('corrupt changes one byte after the L2CAP header', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: PERIPHERAL, type: 'corrupt', times: 1 });
    const packet = bytes('07 00 04 00 1B 0C 00 01 02 03 04');
    scene.peripheral.acl(scene.peripheralHandle, 0, packet);
    scene.peripheral.acl(scene.peripheralHandle, 0, packet);
    await otherTurns();
    const [spoiled, whole] = scene.central.takeAcl().map(({ data }) => data);
    expect(whole).to.deep.equal(packet);
    expect(spoiled?.subarray(0, 4)).to.deep.equal(packet.subarray(0, 4));
    const changed = [...packet].filter((byte, index) => spoiled?.[index] !== byte);
    expect([spoiled?.length, changed.length]).to.deep.equal([packet.length, 1]);
  });

  scenes({
    'truncated_event cuts the parameters of an event, whose length matches': `
      air fault device=hci0 type=truncated_event opcode=0x0e bytes=3 times=1
      central writes 01 09 10 00; central hears 04 0E 03 01 09 10`,
    'refused_command responds Command Complete or Command Status with the status, and does nothing': `
      air fault device=${CENTRAL} type=refused_command status=0x1f
      central writes 01 0C 20 02 01 00, 01 06 04 03 40 00 13, 01 FF FF 00
      central hears 04 0E 04 01 0C 20 1F, 04 0F 04 1F 01 06 04, 04 0E 04 01 FF FF 1F
      peripheral advertise; central hears nothing`,
    'refused_command keeps its place after commands that a delay holds back': `
      air fault device=hci0 type=delay stage=command opcode=0x1009 ms=40
      air fault device=hci0 type=refused_command opcode=0x200c status=0x1f
      central writes 01 09 10 00, 01 0C 20 02 01 00; central hears nothing
      40 ms; central hears 04 0E 0A 01 09 10 00 01 00 00 B0 A1 02, 04 0E 04 01 0C 20 1F, nothing`,
  });

  it('adapter_down lasts until its end, even if another one ends or the adapter is switched on', async () => {
    const { air, time, central } = await pair();
    air.faults.add({ device: 'hci0', type: 'adapter_down', for_ms: 100 });
    air.faults.add({ device: CENTRAL, type: 'adapter_down', for_ms: 200 });
    time.advance(100);
    expect(central.powered).to.equal(false);
    central.controller.power(true);
    expect(central.powered).to.equal(false);
    time.advance(100);
    expect(central.powered).to.equal(true);
    expect(hits({ air })).to.deep.equal([1, 0]);
  });

  it('adapter_down does not switch on an adapter that was switched off meanwhile or removed', async () => {
    const { air, time, central, peripheral } = await pair();
    air.faults.add({ device: 'all', type: 'adapter_down', for_ms: 100 });
    central.controller.power(false);
    air.remove(peripheral.controller);
    time.advance(100);
    expect([central.powered, peripheral.powered]).to.deep.equal([false, false]);
  });

  scenes(
    {
      'adapter_down is reported immediately, whatever other faults do to events': `
        air fault device=hci0 type=delay stage=event ms=40; air fault device=hci0 type=drop stage=event
        air fault device=hci0 type=adapter_down for_ms=20
        central hears hardwareError; 100 ms; central hears nothing; air hits 0 0 1`,
    },
    linked,
  );

  it('out_of_range leaves a link alive if it is removed before the supervision timeout', async () => {
    const scene = await linked();
    const { id } = scene.air.faults.add({ device: PERIPHERAL, type: 'out_of_range' });
    sends(scene, 1);
    await scene.time.pass(199);
    expect(received(scene)).to.deep.equal([]);
    scene.air.faults.remove(id);
    await otherTurns();
    expect(received(scene)).to.deep.equal([0]);
    scene.time.advance(1000);
    expect(scene.hearsEnd(scene.central)).to.equal(false);
  });

  it('fading begins with the fault and is deepest in the middle of its period', async () => {
    const { air, time, central, peripheral } = await pair();
    time.advance(40);
    air.faults.add({ device: PERIPHERAL, type: 'fading', depth_db: 20, period_ms: 80 });
    await advertise(peripheral);
    await scan(central, 0);
    for (let event = 0; event < 4; event++) {
      await otherTurns();
      time.advance(20);
    }
    await otherTurns();
    const rssis = central.take(isEvent(EventCode.leMeta)).map((event) => event.readInt8(event.length - 1));
    expect([...new Set(rssis)]).to.deep.equal([-60, -70, -80]);
  });

  it('background_advertisers sends `per_second` advertisements per second, each of a new device, to one device alone', async () => {
    const { air, time, central } = await pair();
    const other = await hostOn(air, { address: '02:A1:B0:00:00:02', name: 'hci1' });
    for (const host of [central, other]) await scan(host, 0);
    air.faults.add({ device: 'hci0', type: 'background_advertisers', per_second: 250, for_ms: 1005 });
    await time.pass(2000);
    const reports = central.take(isEvent(EventCode.leMeta));
    const addresses = reports.map((report) => report.subarray(7, 13).toString('hex'));
    expect([reports.length, new Set(addresses).size, ...hits({ air })]).to.deep.equal([250, 250, 250]);
    expect(other.take(isEvent(EventCode.leMeta))).to.deep.equal([]);
    expect(time.pending).to.equal(0);
  });

  it('silence for `for_ms` ends, and leaves no hook behind', async () => {
    const scene = await linked();
    scene.air.faults.add({ device: 'all', type: 'silence', for_ms: 100 });
    sends(scene, 1);
    scene.time.advance(100);
    sends(scene, 1, 1);
    await otherTurns();
    expect(received(scene)).to.deep.equal([1]);
    expect(scene.air.hooks.at.acl_from_host).to.equal(undefined);
  });
});

describe('The list of faults', () => {
  const spec: FaultSpec = { device: PERIPHERAL, type: 'silence' };

  it('shows each fault with its id and hits', async () => {
    const { air } = await pair();
    expect(air.faults.add(spec)).to.deep.equal({ ...spec, id: 'f1', hits: 0 });
    expect(air.faults.add({ ...spec, times: 2 }).id).to.equal('f2');
    expect(air.faults.list().map(({ id }) => id)).to.deep.equal(['f1', 'f2']);
  });

  it('forgets a removed fault, which acts no more', async () => {
    const scene = await linked();
    const fault = scene.air.faults.add(spec);
    expect(scene.air.faults.remove(fault.id)).to.deep.equal(fault);
    expect(scene.air.faults.remove(fault.id)).to.equal(undefined);
    sends(scene, 1);
    await otherTurns();
    expect(received(scene)).to.deep.equal([0]);
  });

  it('is empty after a reset of the air, which restores settings and places', async () => {
    const { air } = await pair({ loss: 0.1, seed: 5 });
    air.faults.add(spec);
    air.configure({ pace: 'real', loss: 0.5, latencyMs: 9, seed: 6 });
    air.setReception(PERIPHERAL, { inRange: false, rssi: -99 });
    air.reset();
    expect(air.faults.list()).to.deep.equal([]);
    expect(air.settings).to.deep.equal({ pace: 'fast', loss: 0.1, latencyMs: 0, seed: 5 });
    expect(air.receptionOf(PERIPHERAL)).to.deep.equal({ rssi: -60, inRange: true });
  });

  it('releases delayed packets at a reset of the air', async () => {
    const scene = await linked();
    const { air, time, central } = scene;
    const hour = { type: 'delay', ms: 3_600_000 } as const;
    air.faults.add({ device: 'hci0', stage: 'command', ...hour });
    air.faults.add({ device: 'hci0', stage: 'event', ...hour });
    air.faults.add({ device: PERIPHERAL, ...hour });
    sends(scene, 2);
    central.send(bytes('01 09 10 00'));
    central.send(bytes('01 15 20 02 40 00'));
    await otherTurns();
    expect(central.take()).to.deep.equal([]);
    air.reset();
    await otherTurns();
    expect(received(scene)).to.deep.equal([0, 1]);
    expect(central.take()).to.deep.equal([
      bytes('04 0E 0A 01 09 10 00 01 00 00 B0 A1 02'),
      bytes('04 0E 0B 01 15 20 00 40 00 FF FF FF FF 1F'),
    ]);
    expect(time.pending).to.equal(0);
  });
});
