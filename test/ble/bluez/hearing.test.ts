/** Advertisements from the properties of BlueZ's devices. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { DEVICE } from '../../../src/ble/bluez/objects.js';
import { uuid128 } from '../../support/bluez-values.js';
import { A, B, useBluez } from '../../support/bluez-fixture.js';
import { otherTurns } from '../../support/hci-host.js';

describe('The radio on BlueZ, while it listens', () => {
  const rig = useBluez();
  const last = () => rig().advertisements.at(-1) ?? expect.fail('no advertisement');

  it('reports a packet with everything that BlueZ has of the device', async () => {
    const { bluez, radio, time } = rig();
    time.advance(1234);
    bluez.device(A, {
      ...{ Name: 'D\0ie\0\0', RSSI: -60, UUIDs: [uuid128('fe95'), '6E400001-B5A3-F393-E0A9-E50E24DCCA9E'] },
      ...{ ManufacturerData: { 0x02e5: Buffer.of(1, 2) }, ServiceData: { [uuid128('0d18')]: Buffer.of(3) } },
    });
    await rig().listen();
    expect(rig().advertisements).to.deep.equal([
      {
        ...{ address: A, name: 'D\0ie', rssi: -60, heardAt: new Date(1234), connectable: true },
        serviceUuids: ['fe95', '6e400001b5a3f393e0a9e50e24dcca9e'],
        manufacturerData: Buffer.of(0xe5, 0x02, 1, 2),
        serviceData: [{ uuid: 'd18', data: Buffer.of(3) }],
      },
    ]);
    expect(radio.lastAdvertisement(A)).to.equal(last());
  });

  it('reports a device without a name as such, in spite of its alias', async () => {
    rig().bluez.device(A, { RSSI: -60 });
    await rig().listen();
    expect(last()).to.deep.include({ name: null, serviceUuids: [], manufacturerData: null, serviceData: [] });
  });

  it('does not hear the devices that bluetoothd remembers', async () => {
    const { bluez } = rig();
    bluez.add(bluez.pathOf(A), { [DEVICE]: { Address: A, Name: 'die', Connected: false } });
    await rig().listen();
    bluez.change(bluez.pathOf(A), DEVICE, { Name: 'other', UUIDs: [] });
    await otherTurns();
    expect(rig().advertisements).to.deep.equal([]);
  });

  for (const [property, value] of Object.entries({
    ...{ RSSI: -70, Name: 'new', AdvertisingFlags: Buffer.of(6), AdvertisingData: {} },
    ...{ ManufacturerData: { 1: Buffer.of(1) }, ServiceData: { [uuid128('180f')]: Buffer.of(9) } },
  }))
    it(`takes a change of ${property} for a packet`, async () => {
      const { bluez, advertisements } = rig();
      await rig().inRange();
      bluez.change(bluez.pathOf(A), DEVICE, { [property]: value });
      await otherTurns();
      expect(advertisements).to.have.length(2);
    });

  it('takes other changes for none, nor those after the end of discovery', async () => {
    const { bluez, advertisements } = rig();
    await rig().inRange();
    bluez.change(bluez.pathOf(A), DEVICE, { Trusted: true, UUIDs: [] });
    bluez.change(bluez.pathOf(A), DEVICE, {}, ['RSSI', 'TxPower']);
    bluez.change(bluez.pathOf(A), DEVICE, { ManufacturerData: { 1: Buffer.of(1) } });
    await otherTurns();
    expect(advertisements).to.have.length(1);
  });

  it('takes the manufacturer data that changed, of several companies, and keeps it while none changes', async () => {
    const { bluez } = rig();
    bluez.device(A, { RSSI: -60, ManufacturerData: { 1: Buffer.of(1) } });
    await rig().listen();
    const seen = [];
    for (const packet of [
      { ManufacturerData: { 1: Buffer.of(1), 2: Buffer.of(2) } },
      { RSSI: -61 },
      { ManufacturerData: { 1: Buffer.of(3), 2: Buffer.of(2) } },
      { RSSI: -62 },
    ]) {
      bluez.change(bluez.pathOf(A), DEVICE, packet);
      await otherTurns();
      seen.push(last().manufacturerData?.toString('hex'));
    }
    expect(seen).to.deep.equal(['020002', '020002', '010003', '010003']);
  });

  it('takes the manufacturer data that bluetoothd remembers for that of the first packet', async () => {
    const { bluez } = rig();
    const remembered = { Address: A, ManufacturerData: { 1: Buffer.of(1) }, Connected: false };
    bluez.add(bluez.pathOf(A), { [DEVICE]: remembered });
    await rig().listen();
    bluez.change(bluez.pathOf(A), DEVICE, { RSSI: -60 });
    await otherTurns();
    expect(last().manufacturerData).to.deep.equal(Buffer.of(1, 0, 1));
  });

  it('lists a device that another program has connected, whose signal BlueZ does not know', async () => {
    const { bluez, radio } = rig();
    bluez.add(bluez.pathOf(A), { [DEVICE]: { Address: A, Name: 'die', Connected: true } });
    bluez.add('/org/bluez/hci1/dev_D1_CE_00_00_00_02', { [DEVICE]: { Address: B, Connected: true } });
    await rig().listen();
    expect(radio.lastAdvertisement(A)).to.deep.include({ name: 'die', rssi: null });
    expect(radio.lastAdvertisement(B)).to.equal(undefined);
  });

  it('does not take its own link for a packet', async () => {
    await rig().link();
    const before = rig().advertisements.length;
    await rig().pass(5_000);
    expect(rig().advertisements).to.have.length(before);
  });

  it('forgets a device that BlueZ has removed', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    bluez.remove(bluez.pathOf(A));
    await otherTurns();
    expect(radio.lastAdvertisement(A)).to.equal(undefined);
  });

  it('hears the devices of its own adapter alone', async () => {
    const { bluez, advertisements } = rig();
    await rig().listen();
    bluez.add('/org/bluez/hci1/dev_D1_CE_00_00_00_01', { [DEVICE]: { Address: A, RSSI: -60 } });
    await otherTurns();
    expect(advertisements).to.deep.equal([]);
  });

  it('reports to observers as to listeners, until they leave', async () => {
    const { bluez, radio } = rig();
    const observed: (number | null)[] = [];
    const leave = radio.observe(({ rssi }) => observed.push(rssi));
    await rig().inRange();
    bluez.hear(A, { RSSI: -50 });
    await otherTurns();
    leave();
    bluez.hear(A, { RSSI: -40 });
    await otherTurns();
    expect(observed).to.deep.equal([-60, -50]);
  });
});
