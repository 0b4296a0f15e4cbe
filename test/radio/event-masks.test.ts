import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { bytes, isEvent, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { PERIPHERAL, advertise, connectionTo, linked, pair, scan } from '../support/hci-scenes.js';

/** The events that noble and bleno ask for: all they know, LE Meta (bit 61) among them. */
const NOBLE_EVENTS = bytes('FF FF FB FF 07 F8 BF 3D');
const NOBLE_LE_EVENTS = bytes('1F 00 00 00 00 00 00 00');
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

  it('of noble and bleno let through all that they live by', async () => {
    const { central, peripheral } = await pair();
    for (const host of [central, peripheral]) {
      await host.status('setEventMask', { mask: NOBLE_EVENTS });
      await host.status('leSetEventMask', { mask: NOBLE_LE_EVENTS });
    }
    await advertise(peripheral);
    await scan(central, 0);
    await central.next(isLeEvent(LeSubevent.advertisingReport));
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    const { handle } = await central.connected();
    const key = { random: Buffer.alloc(8), encryptedDiversifier: 0, longTermKey: Buffer.alloc(16) };
    await central.status('leEnableEncryption', { handle, ...key });
    await peripheral.next(isLeEvent(LeSubevent.longTermKeyRequest));
    await peripheral.status('leLongTermKeyRequestNegativeReply', {
      handle: (await peripheral.connected()).handle,
    });
    await central.next(isEvent(EventCode.encryptionChange));
    await central.status('disconnect', { handle, reason: 0x13 });
    expect((await central.disconnected()).reason).to.equal(0x16);
    expect((await peripheral.disconnected()).reason).to.equal(0x13);
  });
});
