import { expect } from 'chai';
import { describe, it } from 'mocha';
import { encodeCommand, LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { PERIPHERAL, advertise, connectionTo, linked, pair, scan } from '../support/hci-scenes.js';

const report = isLeEvent(LeSubevent.advertisingReport);

describe('A controller that loses its power', () => {
  it('reports it once, receives no command, and responds again when it is on', async () => {
    const { central } = await pair();
    central.controller.power(false);
    central.controller.power(false);
    expect(central.powered).to.equal(false);
    // Hardware Error (Core 5.4 Vol 4 Part E 7.7.16).
    expect(central.take().map(text)).to.deep.equal(['04 10 01 01']);
    central.send(encodeCommand('readBdAddr', {}));
    await otherTurns();
    expect(central.take()).to.deep.equal([]);
    central.controller.power(true);
    expect(central.powered).to.equal(true);
    expect(await central.status('readBdAddr', {})).to.equal(0);
  });

  it('neither sends nor receives', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral);
    await scan(central, 0);
    peripheral.controller.power(false);
    await otherTurns();
    central.take();
    await time.pass(1000);
    expect(central.take()).to.deep.equal([]);
  });

  it('has forgotten everything when it is back, as after a reset', async () => {
    const { central, peripheral } = await linked();
    central.controller.power(false);
    central.controller.power(true);
    await central.begin();
    expect(central.controller.links.size).to.equal(0);
    await scan(central, 0);
    expect(central.take(report)).to.deep.equal([]);
    expect(peripheral.controller.links.size, 'until the supervision timeout').to.equal(1);
  });
});

describe('A link whose ends are both gone', () => {
  it('is gone with them: no timer waits for its supervision timeout', async () => {
    const { air, time, central, peripheral } = await linked({ pace: 'real' });
    central.take();
    air.remove(peripheral.controller);
    await central.status('reset', {});
    expect([air.linksOf(() => true), time.pending]).to.deep.equal([[], 0]);
    expect(central.take()).to.deep.equal([]);
  });
});

describe('Reset', () => {
  it('ends links without an event to its host; the peer receives 0x08', async () => {
    const { time, central, peripheral, hearsEnd } = await linked();
    await central.status('reset', {});
    time.advance(200);
    expect((await peripheral.disconnected()).reason).to.equal(0x08);
    await otherTurns();
    expect(hearsEnd(central)).to.equal(false);
  });

  it('stops advertising, scanning and initiating', async () => {
    const { time, central, peripheral } = await pair();
    await scan(central, 0);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    await central.begin();
    expect(await central.status('leCreateConnectionCancel', {})).to.equal(0x0c);
    await advertise(peripheral);
    await time.pass(100);
    expect(central.take(report)).to.deep.equal([]);
    await peripheral.begin();
    await scan(central, 0);
    expect(central.take(report)).to.deep.equal([]);
  });

  it('forgets advertising data and parameters, and active scanning', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral, { type: 2 });
    await scan(central, 0, { type: 1 });
    await peripheral.begin();
    await central.begin();
    central.take();
    await peripheral.status('leSetAdvertisingEnable', { enable: 1 });
    await central.status('leSetScanEnable', { enable: 1, filterDuplicates: 0 });
    await otherTurns();
    // One report: connectable undirected, no data, no scan response.
    expect(central.take(report).map(text)).to.deep.equal(['04 3e 0c 02 01 00 00 01 00 00 00 ce d1 00 c4']);
  });

  it('forgets the host’s masks and the random address', async () => {
    const { central, peripheral } = await pair();
    await central.status('leSetRandomAddress', { address: 'C0:00:00:00:00:01' });
    await central.status('reset', {});
    await advertise(peripheral);
    const random = { type: 1, interval: 16, window: 16, ownAddressType: 1, filterPolicy: 0 };
    await central.status('leSetScanParameters', random);
    expect(await central.status('leSetScanEnable', { enable: 1, filterDuplicates: 0 })).to.equal(0x12);
    await scan(central, 0);
    // LE Meta events are masked until a host asks for them (Core 5.4 Vol 4 Part E 7.3.1).
    expect(central.take()).to.deep.equal([]);
  });

  it('cancels what earlier commands were still to send', async () => {
    const { air, time, central, peripheral } = await pair();
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    central.send(encodeCommand('leCreateConnectionCancel', {}));
    await central.begin();
    await otherTurns();
    air.configure({ pace: 'real' });
    air.faults.add({ device: PERIPHERAL, type: 'failed_establishment' });
    await advertise(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    time.advance(110);
    await central.connected();
    central.take();
    await central.begin();
    await time.pass(1000);
    expect(central.take().map(text)).to.deep.equal([]);
  });
});
