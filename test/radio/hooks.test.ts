import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode } from '../../src/ble/hci/packets.js';
import { bytes, isEvent, otherTurns } from '../support/hci-host.js';
import { CENTRAL, PERIPHERAL, advertise, connectionTo, linked, pair, scan } from '../support/hci-scenes.js';

describe('A hook', () => {
  it('may end the link of its packet, whose buffers are returned once', async () => {
    const { air, central, peripheral, centralHandle } = await linked({ strict: true });
    const remove = air.hooks.add('acl_from_host', ({ link }) => {
      link.end(0x08);
      return false;
    });
    central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
    remove();
    await otherTurns();
    expect(central.take()).to.deep.equal([bytes('04 05 04 00 40 00 08')]);
    await peripheral.status('leSetAdvertisingEnable', { enable: 1 });
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    const { handle } = await central.connected();
    for (let packet = 0; packet < 9; packet++) central.acl(handle, 0, bytes('01 00 04 00 0B'));
    await otherTurns();
    expect(central.take(isEvent(EventCode.dataBufferOverflow))).to.have.length(1);
  });

  it('sees commands with their opcode and parameters, and can keep them from the controller', async () => {
    const { air, central } = await pair();
    const seen: unknown[] = [];
    const remove = air.hooks.add('command', ({ controller, opcode, payload }) => {
      seen.push([controller.address, opcode, payload.toString('hex')]);
      return false;
    });
    central.send(bytes('01 05 14 02 40 00'));
    await otherTurns();
    expect(seen).to.deep.equal([[CENTRAL, 0x1405, '4000']]);
    expect(central.take()).to.deep.equal([]);
    remove();
    central.send(bytes('01 05 14 02 40 00'));
    // Command Complete of Read RSSI: no such handle.
    expect((await central.next(isEvent(EventCode.commandComplete))).toString('hex')).to.contain('051402');
  });

  it('sees events with their code, LE events with their subevent', async () => {
    const { air, central, peripheral } = await pair();
    const seen: unknown[] = [];
    air.hooks.add('event', ({ controller, opcode }) => seen.push([controller.address, opcode]));
    await advertise(peripheral);
    seen.length = 0;
    await scan(central, 1);
    expect(seen).to.deep.equal([
      [CENTRAL, 0x0e],
      [CENTRAL, 0x0e],
      [CENTRAL, 0x3e02],
      [CENTRAL, 0x3e02],
    ]);
  });

  it('sees data on both ends with the opcode of its ATT PDU, and can change it', async () => {
    const { air, central, peripheral, centralHandle } = await linked();
    const seen: unknown[] = [];
    air.hooks.add('acl_from_host', ({ controller, peer, opcode, first }) =>
      seen.push(['from', controller.address, peer.address, opcode, first]),
    );
    air.hooks.add('acl_to_host', (passing) => {
      seen.push(['to', passing.controller.address, passing.peer.address, passing.opcode, passing.first]);
      passing.payload = Buffer.concat([passing.payload, bytes('FF')]);
    });
    // Write Request of 01 to handle 0x000C, then a continuation.
    central.acl(centralHandle, 0, bytes('04 00 04 00 12 0C 00 01'));
    central.acl(centralHandle, 1, bytes('02'));
    await otherTurns();
    expect(seen).to.deep.equal([
      ['from', CENTRAL, PERIPHERAL, 0x12, true],
      ['from', CENTRAL, PERIPHERAL, undefined, false],
      ['to', PERIPHERAL, CENTRAL, 0x12, true],
      ['to', PERIPHERAL, CENTRAL, undefined, false],
    ]);
    expect(peripheral.takeAcl().map(({ data }) => data.toString('hex'))).to.deep.equal([
      '04000400120c0001ff',
      '02ff',
    ]);
  });

  it('sees the receiver of an advertisement, and both ends of a connection request', async () => {
    const { air, central, peripheral } = await pair();
    const seen: unknown[] = [];
    const note =
      (stage: string) =>
      ({ controller, peer }: { controller: { address: string }; peer: { address: string } }) =>
        seen.push([stage, controller.address, peer.address]);
    air.hooks.add('advertising', note('advertising'));
    air.hooks.add('connection_request', note('connection_request'));
    await advertise(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    await central.connected();
    expect(seen).to.deep.equal([
      ['advertising', PERIPHERAL, CENTRAL],
      ['connection_request', CENTRAL, PERIPHERAL],
    ]);
  });

  it('runs in the order of insertion, up to the first hook that stops a packet', async () => {
    const { air, central } = await pair();
    const order: number[] = [];
    air.hooks.add('command', () => order.push(1) > 0);
    air.hooks.add('command', () => order.push(2) < 0);
    air.hooks.add('command', () => order.push(3));
    central.send(bytes('01 03 0C 00'));
    await otherTurns();
    expect(order).to.deep.equal([1, 2]);
  });

  it('leaves nothing behind when it is removed', async () => {
    const { air } = await pair();
    const hook = (): void => undefined;
    const removes = [air.hooks.add('event', hook), air.hooks.add('event', hook)];
    removes[0]?.();
    removes[0]?.();
    expect(air.hooks.at.event).to.have.length(1);
    removes[1]?.();
    expect(air.hooks.at.event).to.equal(undefined);
  });

  it('delays an event and all later packets, in order', async () => {
    const { air, time, central, peripheral, peripheralHandle } = await linked();
    air.hooks.add('event', (passing) => {
      if (passing.opcode === EventCode.commandComplete) passing.delay += 50;
    });
    central.send(bytes('01 09 10 00'));
    peripheral.acl(peripheralHandle, 0, bytes('01'));
    await otherTurns();
    expect(central.take()).to.deep.equal([]);
    await time.pass(50);
    expect(central.take().map((packet) => packet[0])).to.deep.equal([4, 2]);
  });

  it('delays a command and all later commands, in order', async () => {
    const { air, time, central } = await pair();
    const remove = air.hooks.add('command', (passing) => {
      passing.delay += 50;
    });
    central.send(bytes('01 09 10 00'));
    remove();
    central.send(bytes('01 03 10 00'));
    await otherTurns();
    expect(central.take()).to.deep.equal([]);
    await time.pass(50);
    expect(central.take().map((packet) => packet.readUInt16LE(4))).to.deep.equal([0x1009, 0x1003]);
  });
});
