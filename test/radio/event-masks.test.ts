import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode } from '../../src/ble/hci/packets.js';
import { bytes, isEvent, otherTurns, text } from '../support/hci-host.js';
import { PERIPHERAL, advertise, connectionTo, linked, pair, scan } from '../support/hci-scenes.js';

const NOTHING = Buffer.alloc(8);

describe('The event masks', () => {
  it('keep unwanted LE events from the host', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral);
    // Connection Complete is bit 0, Advertising Report bit 1 (Core 5.4 Vol 4 Part E 7.8.1).
    await central.status('leSetEventMask', { mask: bytes('01') });
    await scan(central, 0);
    expect(central.take()).to.deep.equal([]);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    expect((await central.connected()).status).to.equal(0);
  });

  it('hide all LE events from a host that masks LE Meta', async () => {
    const { central, peripheral } = await pair();
    await central.status('setEventMask', { mask: bytes('FF FF FF FF FF FF FF DF') });
    await advertise(peripheral);
    await scan(central, 0);
    expect(central.take()).to.deep.equal([]);
  });

  it('hide Disconnection Complete, Encryption Change and Hardware Error from a host that masks them', async () => {
    const { central, centralHandle: handle } = await linked();
    await central.status('setEventMask', { mask: NOTHING });
    await central.status('disconnect', { handle, reason: 0x13 });
    await otherTurns();
    central.controller.power(false);
    expect(central.take()).to.deep.equal([]);
  });

  it('never hide Command Complete, Command Status and Number Of Completed Packets', async () => {
    const { central, centralHandle } = await linked();
    await central.status('setEventMask', { mask: NOTHING });
    await central.status('leSetEventMask', { mask: NOTHING });
    expect(await central.status('readBdAddr', {})).to.equal(0);
    expect(await central.status('disconnect', { handle: 0x0eff, reason: 0x13 })).to.equal(0x02);
    central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
    const returned = await central.next(isEvent(EventCode.numberOfCompletedPackets));
    expect(text(returned)).to.equal('04 13 05 01 40 00 01 00');
  });
});
