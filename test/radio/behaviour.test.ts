import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { type HciHost, bytes, isAcl, isEvent, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import {
  CENTRAL,
  PERIPHERAL,
  advertise,
  connectionTo,
  hostOn,
  linked,
  pair,
  scan,
  stillAir,
} from '../support/hci-scenes.js';

const report = isLeEvent(LeSubevent.advertisingReport);
const completed = isEvent(EventCode.numberOfCompletedPackets);

/** Kinds of the advertising reports a host has: 0 advertisement, 4 scan response (Core 5.4 Vol 4 Part E 7.7.65.2). */
const kinds = (host: HciHost): readonly (number | undefined)[] =>
  host.take(report).map((packet) => packet[5]);

/** Behaviour that hosts and tests rely on, one test for each rule. */
describe('The radio', () => {
  it('1. a peripheral that is connected no longer advertises; a second attempt waits until it is cancelled', async () => {
    const { air, time, peripheral } = await linked();
    const second = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await scan(second, 0);
    await second.status('leCreateConnection', connectionTo(PERIPHERAL));
    await time.pass(10_000);
    expect(second.take()).to.deep.equal([]);
    expect(peripheral.take(isLeEvent(LeSubevent.connectionComplete))).to.deep.equal([]);
    await second.status('leCreateConnectionCancel', {});
    expect((await second.connected()).status).to.equal(0x02);
  });

  it('2. cancelling ends the attempt with Connection Complete 0x02; with nothing pending it is 0x0C', async () => {
    const { central } = await pair();
    expect(await central.status('leCreateConnectionCancel', {})).to.equal(0x0c);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    expect(await central.status('leCreateConnectionCancel', {})).to.equal(0);
    const [event] = await Promise.all([central.next(isLeEvent(LeSubevent.connectionComplete))]);
    expect(text(event)).to.equal(`04 3e 13 01 02 00 00${' 00'.repeat(15)}`);
    expect(await central.status('leCreateConnectionCancel', {})).to.equal(0x0c);
  });

  it('3. active scanning gets scan responses, passive scanning does not; duplicates are filtered by the controller', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral);
    await scan(central, 1, { type: 1 });
    await time.pass(100);
    expect(kinds(central)).to.deep.equal([0, 4]);
    await central.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    await scan(central, 0, { type: 0 });
    await time.pass(60);
    expect(kinds(central)).to.deep.equal([0, 0, 0, 0]);
  });

  it('4. out of range or powered off: the other side sees 0x08 after the supervision timeout', async () => {
    for (const leave of [
      ({ air }: Awaited<ReturnType<typeof linked>>) => air.setReception(PERIPHERAL, { inRange: false }),
      ({ peripheral }: Awaited<ReturnType<typeof linked>>) => peripheral.controller.power(false),
    ]) {
      const scene = await linked({ pace: 'real' });
      leave(scene);
      await scene.time.pass(999);
      expect(scene.hearsEnd(scene.central)).to.equal(false);
      scene.time.advance(1);
      const end = await scene.central.disconnected();
      expect(end).to.deep.equal({ status: 0, handle: scene.centralHandle, reason: 0x08 });
    }
  });

  it('4. a link that never came about: Connection Complete with status 0, then Disconnection Complete 0x3E', async () => {
    const { air, time, central, peripheral } = await pair();
    air.faults.add({ device: PERIPHERAL, type: 'failed_establishment', times: 1 });
    await advertise(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    const { status, handle } = await central.connected();
    time.advance(1);
    expect([status, await central.disconnected()]).to.deep.equal([0, { status: 0, handle, reason: 0x3e }]);
    // The advertiser never received it, and the next attempt succeeds.
    expect(peripheral.take()).to.deep.equal([]);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    expect((await peripheral.connected()).status).to.equal(0);
  });

  it('5. disconnect reasons reach the peer as given, and are 0x16 on the requesting side', async () => {
    for (const reason of [0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b]) {
      const { central, peripheral, centralHandle: handle } = await linked();
      await central.status('disconnect', { handle, reason });
      expect((await central.disconnected()).reason).to.equal(0x16);
      expect((await peripheral.disconnected()).reason).to.equal(reason);
    }
    const { central, peripheral, peripheralHandle: handle } = await linked();
    await peripheral.status('disconnect', { handle, reason: 0x13 });
    expect([(await central.disconnected()).reason, (await peripheral.disconnected()).reason]).to.deep.equal([
      0x13, 0x16,
    ]);
  });

  it('6. ACL fragments are passed on in order, never merged across handles, never lost', async () => {
    const fragment = fc.record({
      to: fc.nat(1),
      first: fc.boolean(),
      data: fc.uint8Array({ maxLength: 251 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { maxLength: 30 }), fc.constantFrom(0, 0.3), async (sent, loss) => {
        const { air, time } = stillAir({ seed: sent.length });
        const central = await hostOn(air, { address: CENTRAL });
        const peripherals = [
          await hostOn(air, { address: PERIPHERAL }),
          await hostOn(air, { address: 'D2:00:00:00:00:02' }),
        ];
        const handles: number[] = [];
        for (const peripheral of peripherals) {
          await advertise(peripheral);
          await central.status('leCreateConnection', connectionTo(peripheral.address));
          handles.push((await central.connected()).handle);
        }
        air.configure({ loss });
        for (const { to, first, data } of sent)
          central.acl(handles[to] ?? 0, first ? 0 : 1, Buffer.from(data));
        for (let event = 0; event < 40; event++) {
          await otherTurns(2);
          time.advance(2);
        }
        await otherTurns();
        const heard = peripherals.map((peripheral) =>
          peripheral.takeAcl().map(({ boundary, data }) => ({ boundary, data: data.toString('hex') })),
        );
        const meant = [0, 1].map((link) =>
          sent
            .filter(({ to }) => to === link)
            .map(({ first, data }) => ({ boundary: first ? 2 : 1, data: Buffer.from(data).toString('hex') })),
        );
        expect(heard).to.deep.equal(meant);
      }),
      { numRuns: 25 },
    );
  });

  it('7. buffer credits are exact; a host that overruns them is reported in strict mode', async () => {
    for (const strict of [false, true]) {
      const { time, central, peripheral, centralHandle } = await linked({ latencyMs: 50, strict });
      for (let packet = 0; packet < 9; packet++) central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
      await otherTurns();
      // Data Buffer Overflow, ACL (Core 5.4 Vol 4 Part E 7.7.26).
      expect(central.take().map(text)).to.deep.equal(strict ? ['04 1a 01 01'] : []);
      await time.pass(50);
      const arrived = peripheral.take(isAcl).length;
      const returned = central.take(completed).map((event) => event.readUInt16LE(6));
      expect([arrived, returned]).to.deep.equal(strict ? [8, [8]] : [9, [9]]);
    }
  });

  it('8. nothing is ever delivered to a host after its link ended', async () => {
    const { air, time, central, peripheral, centralHandle, peripheralHandle } = await linked({
      latencyMs: 10,
    });
    for (let packet = 0; packet < 4; packet++) {
      central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
      peripheral.acl(peripheralHandle, 0, bytes('01 00 04 00 0B'));
    }
    await otherTurns();
    air.faults.add({ device: PERIPHERAL, type: 'link_loss', times: 1 });
    await time.pass(1000);
    for (const host of [central, peripheral]) {
      expect(host.take(isAcl)).to.deep.equal([]);
      expect(host.received.at(-1)?.[1]).to.equal(EventCode.disconnectionComplete);
    }
    central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
    await otherTurns();
    expect(peripheral.take(isAcl), 'data for an ended link').to.deep.equal([]);
  });

  it('9. loss takes advertising packets, and costs a link connection intervals but never a packet', async () => {
    const { air, time, central, peripheral, centralHandle } = await linked({ pace: 'real', seed: 7 });
    air.configure({ loss: 0.6 });
    const sent = Array.from({ length: 40 }, (_, index) => index);
    for (const index of sent) central.acl(centralHandle, 0, Buffer.from([index]));
    await time.pass(8);
    const atOnce = peripheral.takeAcl().length;
    await time.pass(4000);
    expect(atOnce).to.be.below(sent.length);
    const late = peripheral.takeAcl().map(({ data }) => data[0]);
    expect(late).to.deep.equal(sent.slice(atOnce));
    await scan(central, 0);
    const other = await hostOn(air, { address: 'D2:00:00:00:00:02' });
    await advertise(other, { type: 3 });
    await time.pass(10_000);
    // About 95 advertising events in 10 s.
    expect(central.take(report).length).to.be.within(15, 65);
  });

  it('9. at worst, loss costs the supervision timeout', async () => {
    const { air, time, central, hearsEnd, centralHandle } = await linked({ pace: 'real' });
    air.configure({ loss: 1 });
    central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
    await time.pass(999);
    expect(hearsEnd(central)).to.equal(false);
    time.advance(1);
    expect((await central.disconnected()).reason).to.equal(0x08);
  });

  it('10. a controller has a number of links; one more is refused with 0x09', async () => {
    const { air } = stillAir();
    const central = await hostOn(air, { address: CENTRAL, maxLinks: 2 });
    for (const index of [1, 2]) {
      const peripheral = await hostOn(air, { address: `D2:00:00:00:00:0${index}`, maxLinks: 1 });
      await advertise(peripheral);
      await central.status('leCreateConnection', connectionTo(peripheral.address));
      await peripheral.connected();
      expect(await peripheral.status('leSetAdvertisingEnable', { enable: 1 }), 'a device full').to.equal(
        0x09,
      );
    }
    await otherTurns();
    expect(await central.status('leCreateConnection', connectionTo(PERIPHERAL))).to.equal(0x09);
  });
});
