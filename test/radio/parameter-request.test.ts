import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { bytes, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { linked, UPDATE } from '../support/hci-scenes.js';

const asked = isLeEvent(LeSubevent.remoteConnectionParameterRequest);
const updated = isLeEvent(LeSubevent.connectionUpdateComplete);

/** Core 5.4 Vol 6 Part B 5.1.7. */
describe('A peripheral that wants other connection parameters', () => {
  const asking = async () => {
    const link = await linked();
    const { peripheral, peripheralHandle, centralHandle: handle } = link;
    const status = await peripheral.status('leConnectionUpdate', { handle: peripheralHandle, ...UPDATE });
    return { ...link, handle, status };
  };

  it('has the central’s host decide', async () => {
    const { central, status } = await asking();
    expect(status).to.equal(0);
    expect(text(await central.next(asked))).to.equal('04 3e 0b 06 40 00 18 00 28 00 03 00 2c 01');
  });

  it('receives the parameters in force once the central’s host agrees', async () => {
    const { central, peripheral, handle } = await asking();
    await central.next(asked);
    const agreed = { handle, ...UPDATE, connectionIntervalMin: 32 };
    expect(await central.returned('leRemoteConnectionParameterRequestReply', agreed)).to.deep.equal({
      handle,
    });
    const golden = '04 3e 0a 03 00 40 00 20 00 03 00 2c 01';
    expect(text(await peripheral.next(updated))).to.equal(golden);
    expect(text(await central.next(updated))).to.equal(golden);
  });

  it('receives the reason if the central’s host does not', async () => {
    const { central, peripheral, handle } = await asking();
    await central.next(asked);
    const refusal = { handle, reason: 0x3b };
    expect(await central.returned('leRemoteConnectionParameterRequestNegativeReply', refusal)).to.deep.equal({
      handle,
    });
    // Status 0x3B, and the parameters as they were: 7.5 ms, 0, 1 s.
    expect(text(await peripheral.next(updated))).to.equal('04 3e 0a 03 3b 40 00 06 00 00 00 64 00');
    await otherTurns();
    expect(central.take(updated)).to.deep.equal([]);
  });

  it('receives 0x1A if the central’s host has masked the request', async () => {
    const { central, peripheral, peripheralHandle } = await linked();
    await central.status('leSetEventMask', { mask: bytes('1F 00 00 00 00 00 00 00') });
    await peripheral.status('leConnectionUpdate', { handle: peripheralHandle, ...UPDATE });
    expect((await peripheral.next(updated))[4]).to.equal(0x1a);
    expect(central.take(asked)).to.deep.equal([]);
  });

  it('has no second response, none without a request, and none with values out of range', async () => {
    const { central, peripheral, handle } = await asking();
    await central.next(asked);
    const reply = { handle, ...UPDATE };
    const wrong = { ...reply, supervisionTimeout: 9 };
    expect(await central.status('leRemoteConnectionParameterRequestReply', wrong)).to.equal(0x12);
    expect(await central.status('leRemoteConnectionParameterRequestReply', reply)).to.equal(0);
    expect(await central.status('leRemoteConnectionParameterRequestReply', reply)).to.equal(0x0c);
    const refusal = { handle, reason: 0x3b };
    expect(await central.status('leRemoteConnectionParameterRequestNegativeReply', refusal)).to.equal(0x0c);
    expect(text(await peripheral.next(updated))).to.equal('04 3e 0a 03 00 40 00 18 00 03 00 2c 01');
    expect(await central.status('leConnectionUpdate', { ...reply, maxLatency: 0 })).to.equal(0);
    expect(text(await peripheral.next(updated))).to.equal('04 3e 0a 03 00 40 00 18 00 00 00 2c 01');
  });

  it('does not keep the central from an update of its own', async () => {
    const { central, peripheral, handle } = await asking();
    await central.next(asked);
    expect(await central.status('leConnectionUpdate', { handle, ...UPDATE })).to.equal(0);
    expect(text(await peripheral.next(updated))).to.equal('04 3e 0a 03 00 40 00 18 00 03 00 2c 01');
  });

  it('cannot answer itself: 0x0C', async () => {
    const { central, peripheral, peripheralHandle, handle } = await asking();
    await central.next(asked);
    const reply = { handle: peripheralHandle, ...UPDATE };
    const refusal = { handle: peripheralHandle, reason: 0x3b };
    expect(await peripheral.status('leRemoteConnectionParameterRequestReply', reply)).to.equal(0x0c);
    expect(await peripheral.status('leRemoteConnectionParameterRequestNegativeReply', refusal)).to.equal(
      0x0c,
    );
    expect(await central.status('leRemoteConnectionParameterRequestReply', { handle, ...UPDATE })).to.equal(
      0,
    );
  });

  it('loses the link with 0x22 if it is never answered', async () => {
    const { time, central, peripheral } = await asking();
    await central.next(asked);
    time.advance(40_000);
    expect((await central.disconnected()).reason).to.equal(0x22);
    expect((await peripheral.disconnected()).reason).to.equal(0x22);
  });
});
