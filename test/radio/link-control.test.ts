import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { bytes, isAcl, isEvent, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { linked, UPDATE } from '../support/hci-scenes.js';

const key = bytes('00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F');
const otherKey = Buffer.alloc(16, 0xee);
const encryptionChange = isEvent(EventCode.encryptionChange);
const updateComplete = isLeEvent(LeSubevent.connectionUpdateComplete);

describe('Encryption', () => {
  const begin = async () => {
    const link = await linked();
    const random = bytes('F0F1F2F3F4F5F6F7');
    const request = { handle: link.centralHandle, random, encryptedDiversifier: 0x1234, longTermKey: key };
    const status = await link.central.status('leEnableEncryption', request);
    const asked = await link.peripheral.next(isLeEvent(LeSubevent.longTermKeyRequest));
    return { ...link, handle: link.peripheralHandle, status, asked };
  };

  it('requests the key from the peripheral by the numbers that the central gave', async () => {
    const { status, asked } = await begin();
    expect(status).to.equal(0);
    expect(text(asked)).to.equal('04 3e 0d 05 40 00 f0 f1 f2 f3 f4 f5 f6 f7 34 12');
  });

  it('is reported to both sides when the keys agree', async () => {
    const { central, peripheral, handle } = await begin();
    expect(await peripheral.status('leLongTermKeyRequestReply', { handle, longTermKey: key })).to.equal(0);
    expect(text(await central.next(encryptionChange))).to.equal('04 08 04 00 40 00 01');
    expect(text(await peripheral.next(encryptionChange))).to.equal('04 08 04 00 40 00 01');
  });

  it('fails with 0x06 at the central when the peripheral has no key, and the link lives', async () => {
    const { central, peripheral, handle, hearsEnd } = await begin();
    expect(await peripheral.returned('leLongTermKeyRequestNegativeReply', { handle })).to.deep.equal({
      handle,
    });
    expect(text(await central.next(encryptionChange))).to.equal('04 08 04 06 40 00 00');
    await otherTurns();
    expect(peripheral.take(encryptionChange)).to.deep.equal([]);
    expect(hearsEnd(central)).to.equal(false);
  });

  it('ends the link with 0x3D when the keys differ', async () => {
    const { central, peripheral, handle } = await begin();
    await peripheral.status('leLongTermKeyRequestReply', { handle, longTermKey: otherKey });
    expect((await central.disconnected()).reason).to.equal(0x3d);
    expect((await peripheral.disconnected()).reason).to.equal(0x3d);
  });

  it('responds to a key request once', async () => {
    const { peripheral, handle } = await begin();
    await peripheral.status('leLongTermKeyRequestNegativeReply', { handle });
    expect(await peripheral.status('leLongTermKeyRequestReply', { handle, longTermKey: key })).to.equal(0x0c);
  });
});

describe('A connection update', () => {
  it('is reported to both sides with the values in force', async () => {
    const { central, peripheral, centralHandle: handle } = await linked();
    expect(await central.status('leConnectionUpdate', { handle, ...UPDATE })).to.equal(0);
    const golden = '04 3e 0a 03 00 40 00 18 00 03 00 2c 01';
    expect(text(await central.next(updateComplete))).to.equal(golden);
    expect(text(await peripheral.next(updateComplete))).to.equal(golden);
  });

  it('changes when packets pass and when the link is given up', async () => {
    const {
      air,
      time,
      central,
      peripheral,
      centralHandle: handle,
      hearsEnd,
    } = await linked({ pace: 'real' });
    const arrival = async (): Promise<number> => {
      central.acl(handle, 0, bytes('01 00 04 00 0B'));
      while (peripheral.take(isAcl).length === 0) {
        time.advance(0.25);
        await otherTurns(3);
      }
      return time.now();
    };
    const interval = async (): Promise<number> => -(await arrival()) + (await arrival());
    expect(await interval()).to.be.closeTo(7.5, 0.25);
    await central.status('leConnectionUpdate', { handle, ...UPDATE });
    await otherTurns();
    time.advance(7.5);
    await peripheral.next(updateComplete);
    // 24 × 1.25 ms
    expect(await interval()).to.be.closeTo(30, 0.25);
    air.setReception(peripheral.address, { inRange: false });
    await time.pass(2999);
    expect(hearsEnd(central)).to.equal(false);
    time.advance(1);
    expect((await central.disconnected()).reason).to.equal(0x08);
  });

  it('of values that the specification forbids is refused with 0x12 and changes nothing', async () => {
    const { central, centralHandle: handle } = await linked();
    for (const wrong of [{ connectionIntervalMin: 5 }, { supervisionTimeout: 20 }, { maxLatency: 500 }]) {
      expect(await central.status('leConnectionUpdate', { handle, ...UPDATE, ...wrong })).to.equal(0x12);
    }
    await otherTurns();
    expect(central.take(updateComplete)).to.deep.equal([]);
  });
});
