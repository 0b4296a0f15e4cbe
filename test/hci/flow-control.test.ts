import { expect } from 'chai';
import { describe, it } from 'mocha';
import { FlowControl } from '../../src/ble/hci/flow-control.js';
import { encodeAcl, encodeCommand } from '../../src/ble/hci/packets.js';
import { bytes, text } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

const rand = encodeCommand('leRand', {});
const address = encodeCommand('readBdAddr', {});
const data = (handle: number): Buffer => encodeAcl(handle, 0, bytes('01 00 04 00 0B'));

const randAnswered = bytes('04 0E 0C 01 18 20 00 00 00 00 00 00 00 00 00');
const twoBuffers = bytes('04 0E 07 01 02 20 00 FB 00 02');

/** Flow control of a host that has sent `packets`; `take`: the packets that it passes on later. */
const flowing = (...packets: readonly Buffer[]) => {
  const sent: string[] = [];
  const time = manualTime();
  let unresponsive = 0;
  const flow = new FlowControl(
    (packet) => sent.push(text(packet)),
    () => (unresponsive += 1),
    time,
  );
  for (const packet of packets) flow.send(packet);
  sent.length = 0;
  return { flow, time, unresponsive: () => unresponsive, take: (): readonly string[] => sent.splice(0) };
};

describe('Between a host and its controller', () => {
  it('a command leaves when the last command is answered', () => {
    const { flow, take } = flowing();
    flow.send(rand);
    flow.send(address);
    flow.send(rand);
    expect(take()).to.deep.equal([text(rand)]);
    flow.receive(randAnswered);
    expect(take()).to.deep.equal([text(address)]);
    flow.receive(bytes('04 0E 0A 01 09 10 00 01 00 00 B0 A1 02'));
    expect(take()).to.deep.equal([text(rand)]);
  });

  it('Command Status is an answer, too', () => {
    const { flow, take } = flowing(encodeCommand('leReadRemoteFeatures', { handle: 0x40 }), rand);
    flow.receive(bytes('04 0F 04 00 01 16 20'));
    expect(take()).to.deep.equal([text(rand)]);
  });

  it('the response to another command frees no room', () => {
    const { flow, take } = flowing(rand, address);
    flow.receive(bytes('04 0E 04 01 03 0C 00'));
    expect(take()).to.deep.equal([]);
  });

  it('a controller without room reports new room (Core 5.4 Vol 4 Part E 7.7.14)', () => {
    const { flow, take } = flowing(rand, address);
    flow.receive(bytes('04 0E 0C 00 18 20 00 00 00 00 00 00 00 00 00'));
    expect(take()).to.deep.equal([]);
    flow.receive(bytes('04 0E 03 01 00 00'));
    expect(take()).to.deep.equal([text(address)]);
    flow.reset();
  });

  it('a controller gets the next command after 2 s without an answer, and is unresponsive after three', () => {
    const { flow, time, unresponsive, take } = flowing();
    flow.send(rand);
    flow.send(address);
    time.advance(1999);
    expect(take()).to.deep.equal([text(rand)]);
    time.advance(1);
    expect(take()).to.deep.equal([text(address)]);
    flow.receive(bytes('04 0E 0A 01 09 10 00 01 00 00 B0 A1 02'));
    for (const command of [rand, address, rand, address]) flow.send(command);
    time.advance(5999);
    expect(unresponsive()).to.equal(0);
    time.advance(1);
    expect(unresponsive()).to.equal(1);
    expect(take()).to.deep.equal([rand, address, rand].map(text));
    flow.reset();
    expect(time.pending).to.equal(0);
  });

  it('data of all links waits for free buffers of the controller', () => {
    const { flow, take } = flowing();
    flow.receive(twoBuffers);
    for (const handle of [0x40, 0x41, 0x40]) flow.send(data(handle));
    expect(take()).to.deep.equal([text(data(0x40)), text(data(0x41))]);
    flow.receive(bytes('04 13 05 01 41 00 01 00'));
    expect(take()).to.deep.equal([text(data(0x40))]);
  });

  it('the end of a link frees its buffers and drops its waiting data', () => {
    const { flow, take } = flowing();
    flow.receive(twoBuffers);
    for (const handle of [0x40, 0x40, 0x40, 0x41]) flow.send(data(handle));
    take();
    flow.receive(bytes('04 05 04 00 40 00 13'));
    expect(take()).to.deep.equal([text(data(0x41))]);
  });

  it('buffers that are shared with BR/EDR count as well (Core 5.4 Vol 4 Part E 7.8.2)', () => {
    const { flow, take } = flowing();
    flow.receive(bytes('04 0E 07 01 02 20 00 00 00 00'));
    flow.receive(bytes('04 0E 0B 01 05 10 00 FB 00 00 01 00 00 00'));
    flow.send(data(0x40));
    flow.send(data(0x40));
    expect(take()).to.have.length(1);
  });

  it('a reset drops all waiting packets', () => {
    const { flow, take } = flowing();
    flow.receive(twoBuffers);
    for (let packet = 0; packet < 3; packet++) flow.send(data(0x40));
    flow.send(rand);
    flow.send(address);
    take();
    flow.reset();
    flow.send(address);
    flow.send(data(0x41));
    expect(take()).to.deep.equal([text(address), text(data(0x41))]);
    flow.reset();
  });

  it('truncated events are ignored', () => {
    const { flow, take } = flowing(rand, address);
    for (const cut of [
      '04 0E 01 01',
      '04 0F 01 00',
      '04 13 00',
      '04 13 02 01 40',
      '04 05 01 00',
      '04',
      '04 0E 05 01 02 20 00 FB',
    ]) {
      flow.receive(bytes(cut));
    }
    expect(take()).to.deep.equal([]);
    flow.reset();
  });
});
