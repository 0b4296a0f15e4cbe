import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { bytes, isEvent, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { linked, pair, advertise, connectionTo, PERIPHERAL } from '../support/hci-scenes.js';

describe('About the other side of a link', () => {
  it('both hosts learn its features', async () => {
    const { central, peripheral, centralHandle, peripheralHandle } = await linked();
    for (const [host, handle] of [
      [central, centralHandle],
      [peripheral, peripheralHandle],
    ] as const) {
      expect(await host.status('leReadRemoteFeatures', { handle })).to.equal(0);
      expect(text(await host.next(isLeEvent(LeSubevent.readRemoteFeaturesComplete)))).to.equal(
        '04 3e 0c 04 00 40 00 ef 59 00 00 00 00 00 00',
      );
    }
  });

  it('both hosts learn its version', async () => {
    const { central, peripheral, centralHandle, peripheralHandle } = await linked();
    for (const [host, handle] of [
      [central, centralHandle],
      [peripheral, peripheralHandle],
    ] as const) {
      expect(await host.status('readRemoteVersion', { handle })).to.equal(0);
      // Bluetooth 5.4, the company identifier for tests, subversion 1.
      expect(text(await host.next(isEvent(EventCode.readRemoteVersionComplete)))).to.equal(
        '04 0c 08 00 40 00 0d ff ff 01 00',
      );
    }
  });

  it('the response comes over the air: not from a peripheral out of range', async () => {
    const { air, central, centralHandle: handle } = await linked();
    air.setReception(PERIPHERAL, { inRange: false });
    await central.status('leReadRemoteFeatures', { handle });
    await otherTurns();
    expect(central.take(isLeEvent(LeSubevent.readRemoteFeaturesComplete))).to.deep.equal([]);
  });
});

describe('The channels of a link', () => {
  it('are the ones that the central’s host has left', async () => {
    const { central, peripheral, centralHandle, peripheralHandle } = await linked();
    const all = bytes('FF FF FF FF 1F');
    const channelMap = bytes('FF FF 00 00 00');
    expect((await central.returned('leReadChannelMap', { handle: centralHandle }))?.channelMap).to.deep.equal(
      all,
    );
    expect(await central.status('leSetHostChannelClassification', { channelMap })).to.equal(0);
    const returned = await peripheral.returned('leReadChannelMap', { handle: peripheralHandle });
    expect(returned?.channelMap).to.deep.equal(channelMap);
  });

  it('must be some, and of the 37: 0x12', async () => {
    const { central } = await pair();
    for (const channelMap of [bytes('00 00 00 00 00'), bytes('FF FF FF FF 3F')]) {
      expect(await central.status('leSetHostChannelClassification', { channelMap })).to.equal(0x12);
    }
  });
});

describe('The power of a link', () => {
  it('is 0 dBm now and at most; other types are 0x12 (Core 5.4 Vol 4 Part E 7.3.35)', async () => {
    const { central, centralHandle: handle } = await linked();
    for (const type of [0, 1]) {
      expect(await central.returned('readTransmitPowerLevel', { handle, type })).to.deep.equal({
        handle,
        level: 0,
      });
    }
    expect(await central.status('readTransmitPowerLevel', { handle, type: 2 })).to.equal(0x12);
  });
});

describe('With every link', () => {
  it('comes the channel selection algorithm, right after the connection, if it is enabled', async () => {
    const { central, peripheral } = await pair();
    await central.status('leSetEventMask', { mask: bytes('FF FD FF FF FF FF FF FF') });
    await advertise(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    await otherTurns();
    const [made, selected] = central.take();
    expect(made?.[3]).to.equal(LeSubevent.connectionComplete);
    expect(text(selected ?? Buffer.alloc(0))).to.equal('04 3e 04 14 40 00 01');
  });
});
