import { expect } from 'chai';
import { describe, it } from 'mocha';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { otherTurns } from '../support/hci-host.js';
import { PERIPHERAL, linked, pair } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

describe('A controller that loses its power', () => {
  it('reports the loss once, ignores commands, and responds again when it is on', async () => {
    const scene = await pair();
    const { central } = scene;
    central.controller.power(false);
    central.controller.power(false);
    expect(central.powered).to.equal(false);
    // Hardware Error (Core 5.4 Vol 4 Part E 7.7.16).
    await play(scene, 'central hears 04 10 01 01, nothing');
    central.send(encodeCommand('readBdAddr', {}));
    await otherTurns();
    expect(central.take()).to.deep.equal([]);
    central.controller.power(true);
    expect(central.powered).to.equal(true);
    await play(scene, 'central readBdAddr');
  });

  it('neither sends nor receives', async () => {
    const scene = await pair();
    await play(scene, 'peripheral advertise; central scan');
    scene.peripheral.controller.power(false);
    await otherTurns();
    await play(scene, 'central forgets; 1000 ms; central hears nothing');
  });

  it('has forgotten everything when it is back, as after a reset', async () => {
    const scene = await linked();
    const { central, peripheral } = scene;
    central.controller.power(false);
    central.controller.power(true);
    await play(scene, 'central begins');
    expect(central.controller.links.size).to.equal(0);
    expect(peripheral.controller.links.size, 'until the supervision timeout').to.equal(1);
  });
});

describe('A link whose ends are both gone', () => {
  it('ends immediately: no timer waits for its supervision timeout', async () => {
    const { air, time, central, peripheral } = await linked({ pace: 'real' });
    central.take();
    air.remove(peripheral.controller);
    await central.status('reset', {});
    expect([air.linksOf(() => true), time.pending]).to.deep.equal([[], 0]);
    expect(central.take()).to.deep.equal([]);
  });
});

describe('Reset', () => {
  scenes(
    {
      'ends links without an event to its host; the peer receives 0x08': `
        central reset; 200 ms; peripheral hears disconnectionComplete reason=8; central hears nothing`,
    },
    linked,
  );

  scenes({
    'stops advertising, scanning and initiating': `
      central scan; central leCreateConnection; central begins; central leCreateConnectionCancel -> 0x0C
      peripheral advertise; 100 ms; central hears nothing
      peripheral begins; central scan; central hears nothing`,
    // One report: connectable undirected, no data, no scan response.
    'forgets advertising data and parameters, and active scanning': `
      peripheral advertise type=2; central scan; peripheral begins; central begins; central forgets
      peripheral leSetAdvertisingEnable; central leSetScanEnable
      central hears 04 3E 0C 02 01 00 00 01 00 00 00 CE D1 00 C4, nothing`,
    // LE Meta events are masked until a host asks for them (Core 5.4 Vol 4 Part E 7.3.1).
    'forgets the host’s masks and the random address': `
      central leSetRandomAddress; central reset; peripheral advertise
      central scan ownAddressType=1 -> 0x12; central scan; central hears nothing`,
  });

  it('cancels pending events of earlier commands', async () => {
    const scene = await pair();
    const { air, central } = scene;
    await play(scene, 'central leCreateConnection');
    central.send(encodeCommand('leCreateConnectionCancel', {}));
    await play(scene, 'central begins; central forgets');
    air.configure({ pace: 'real' });
    air.faults.add({ device: PERIPHERAL, type: 'failed_establishment' });
    await play(
      scene,
      'peripheral advertise; central leCreateConnection; 110 ms; central hears connectionComplete',
    );
    await play(scene, 'central begins; 1000 ms; central hears nothing');
  });
});
