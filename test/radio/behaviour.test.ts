import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { hex } from '../support/command-rows.js';
import { bytes, isAcl, isEvent, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import {
  CENTRAL,
  PERIPHERAL,
  advertise,
  connectionTo,
  hostOn,
  linked,
  scan,
  stillAir,
} from '../support/hci-scenes.js';
import { scenes } from '../support/scenes.js';

const report = isLeEvent(LeSubevent.advertisingReport);
const completed = isEvent(EventCode.numberOfCompletedPackets);

/** Behaviour that hosts and tests rely on, one test for each rule. */
describe('The radio', () => {
  scenes(
    {
      '1. a peripheral that is connected no longer advertises; a second attempt waits until it is cancelled': `
        second joins 02:A1:B0:00:00:02; second scan; second leCreateConnection
        10000 ms; second hears nothing; peripheral hears nothing
        second leCreateConnectionCancel; second hears connectionComplete status=2`,
    },
    linked,
  );

  scenes({
    '2. cancelling ends the attempt with Connection Complete 0x02; with nothing pending it is 0x0C': `
      central leCreateConnectionCancel -> 0x0C; central leCreateConnection; central leCreateConnectionCancel
      central hears 04 3E 13 01 02 ${'00'.repeat(17)}; central leCreateConnectionCancel -> 0x0C`,
    // 0 is an advertisement, 4 a scan response (Core 5.4 Vol 4 Part E 7.7.65.2).
    '3. active scanning gets scan responses, passive scanning does not; duplicates are filtered by the controller': `
      peripheral advertise; central scan filterDuplicates=1 type=1; 100 ms
      central hears advertisingReport type=0, advertisingReport type=4, nothing
      central leSetScanEnable enable=0; central scan type=0; 20 ms; 20 ms; 20 ms
      central hears 4 advertisingReport type=0, nothing`,
    // The advertiser never receives the request, and the next attempt succeeds.
    '4. a link that never came about: Connection Complete with status 0, then Disconnection Complete 0x3E': `
      air fault device=${PERIPHERAL} type=failed_establishment times=1; peripheral advertise
      central leCreateConnection; central hears connectionComplete status=0 handle=0x40
      1 ms; central hears disconnectionComplete status=0 handle=0x40 reason=0x3e; peripheral hears nothing
      central leCreateConnection; peripheral hears connectionComplete status=0`,
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

  for (const reason of [0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b].map(hex)) {
    scenes(
      {
        [`5. disconnect reason ${reason} reaches the peer as given, and is 0x16 on the requesting side`]: `
          central disconnect reason=${reason}; central hears disconnectionComplete reason=0x16
          peripheral hears disconnectionComplete reason=${reason}`,
      },
      linked,
    );
  }

  scenes(
    {
      '5. a peripheral disconnects in the same way': `
        peripheral disconnect; central hears disconnectionComplete reason=0x13
        peripheral hears disconnectionComplete reason=0x16`,
    },
    linked,
  );

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
        const received = peripherals.map((peripheral) =>
          peripheral.takeAcl().map(({ boundary, data }) => ({ boundary, data: data.toString('hex') })),
        );
        const expected = [0, 1].map((link) =>
          sent
            .filter(({ to }) => to === link)
            .map(({ first, data }) => ({ boundary: first ? 2 : 1, data: Buffer.from(data).toString('hex') })),
        );
        expect(received).to.deep.equal(expected);
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

  scenes(
    {
      '8. nothing is ever delivered to a host after its link ended': `
        central sends 01 00 04 00 0B; peripheral sends 01 00 04 00 0B
        air fault device=${PERIPHERAL} type=link_loss times=1; 1000 ms
        central hears disconnectionComplete, nothing; peripheral hears disconnectionComplete, nothing
        central sends 01 00 04 00 0B; peripheral hears nothing`,
    },
    () => linked({ latencyMs: 10 }),
  );

  it('9. loss takes advertising packets, and costs a link connection intervals but never a packet', async () => {
    const { air, time, central, peripheral, centralHandle } = await linked({ pace: 'real', seed: 7 });
    air.configure({ loss: 0.6 });
    const sent = Array.from({ length: 40 }, (_, index) => index);
    for (const index of sent) central.acl(centralHandle, 0, Buffer.from([index]));
    await time.pass(8);
    const early = peripheral.takeAcl().length;
    await time.pass(4000);
    expect(early).to.be.below(sent.length);
    const late = peripheral.takeAcl().map(({ data }) => data[0]);
    expect(late).to.deep.equal(sent.slice(early));
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
      expect(await peripheral.status('leSetAdvertisingEnable', { enable: 1 }), 'of a full device').to.equal(
        0x09,
      );
    }
    await otherTurns();
    expect(await central.status('leCreateConnection', connectionTo(PERIPHERAL))).to.equal(0x09);
  });
});
