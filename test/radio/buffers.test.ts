import { once } from 'node:events';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Boundary, encodeAcl, encodeCommand } from '../../src/ble/hci/packets.js';
import { Air, VirtualSocket } from '../../simulators/radio/index.js';
import { bytes, isAcl, isEvent, otherTurns, text } from '../support/hci-host.js';
import { PERIPHERAL, connectionTo, linked } from '../support/hci-scenes.js';

const data = bytes('01 00 04 00 0B');

describe('The buffers for data', () => {
  it('hold 251 bytes each; a longer packet is an overflow in strict mode', async () => {
    const { central, peripheral, centralHandle } = await linked({ strict: true });
    central.acl(centralHandle, 0, Buffer.alloc(251));
    central.acl(centralHandle, 0, Buffer.alloc(252));
    await otherTurns();
    expect(peripheral.take(isAcl)).to.have.length(1);
    expect(central.take(isEvent(0x1a)).map(text)).to.deep.equal(['04 1a 01 01']);
  });

  it('are not overrun by a host in the same process, whose data waits for a free buffer', async () => {
    const socket = new VirtualSocket(new Air({ pace: 'fast' }), { address: PERIPHERAL });
    const { controller } = socket;
    const receive = controller.receive.bind(controller);
    let taken = 0;
    controller.receive = (packet) => {
      if (isAcl(packet)) taken += 1;
      receive(packet);
    };
    socket.start();
    const answered = once(socket, 'data');
    socket.write(encodeCommand('leReadBufferSize', {}));
    await answered;
    for (let packet = 0; packet < 9; packet++) socket.write(encodeAcl(0x40, Boundary.firstFromHost, data));
    expect(taken).to.equal(8);
  });

  it('become free at the end of their link', async () => {
    const { air, time, central, peripheral, centralHandle } = await linked({ latencyMs: 50, strict: true });
    const fill = (handle: number): void => {
      for (let packet = 0; packet < 8; packet++) central.acl(handle, 0, data);
    };
    fill(centralHandle);
    air.faults.add({ device: PERIPHERAL, type: 'link_loss', times: 1 });
    await central.disconnected();
    await peripheral.status('leSetAdvertisingEnable', { enable: 1 });
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    fill((await central.connected()).handle);
    await time.pass(50);
    expect(peripheral.take(isAcl)).to.have.length(8);
    expect(central.take(isEvent(0x1a))).to.deep.equal([]);
  });
});
