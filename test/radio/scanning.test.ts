import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { extendedScan } from '../support/extended-scenes.js';
import { bytes, isLeEvent, text } from '../support/hci-host.js';
import { PERIPHERAL, advertise, hostOn, pair, scan } from '../support/hci-scenes.js';

const report = isLeEvent(LeSubevent.advertisingReport);
const extendedReport = isLeEvent(LeSubevent.extendedAdvertisingReport);

describe('A scan', () => {
  it('reports type, address, data and RSSI, the scan response after the advertisement', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral);
    await scan(central, 0);
    // One report, ADV_IND and SCAN_RSP, public address, data, -60 dBm (Core 5.4 Vol 4 Part E 7.7.65.2).
    expect(central.take(report).map(text)).to.deep.equal([
      '04 3e 12 02 01 00 00 01 00 00 00 ce d1 06 02 01 06 02 09 41 c4',
      '04 3e 10 02 01 04 00 01 00 00 00 ce d1 04 03 03 00 18 c4',
    ]);
  });

  it('reports legacy advertising in extended reports to a host that scans by extended commands', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral);
    await extendedScan(central);
    // Event types 0x0013 and 0x001B: legacy, connectable, scannable; a scan response (7.7.65.13).
    expect(central.take(extendedReport).map(text)).to.deep.equal([
      '04 3e 20 0d 01 13 00 00 01 00 00 00 ce d1 01 00 ff 7f c4 00 00 00 00 00 00 00 00 00 06 02 01 06 02 09 41',
      '04 3e 1e 0d 01 1b 00 00 01 00 00 00 ce d1 01 00 ff 7f c4 00 00 00 00 00 00 00 00 00 04 03 03 00 18',
    ]);
  });

  for (const [name, type, legacy, extended] of [
    ['ADV_IND', 0, [0, 4], [0x13, 0x1b]],
    ['ADV_SCAN_IND', 2, [2, 4], [0x12, 0x1a]],
    ['ADV_NONCONN_IND', 3, [3], [0x10]],
  ] as const) {
    it(`reports ${name} by its type, legacy and extended`, async () => {
      const { air, central, peripheral } = await pair();
      const other = await hostOn(air, { address: '02:A1:B0:00:00:02' });
      await advertise(peripheral, { type });
      await scan(central, 1);
      await extendedScan(other, {}, { filterDuplicates: 1 });
      expect(central.take(report).map((packet) => packet[5])).to.deep.equal(legacy);
      expect(other.take(extendedReport).map((packet) => packet[5])).to.deep.equal(extended);
    });
  }

  it('filters duplicates by address, again each time it is enabled', async () => {
    const { air, time, central, peripheral } = await pair();
    const other = await hostOn(air, { address: 'D2:00:00:00:00:02' });
    await advertise(peripheral);
    await advertise(other);
    for (let round = 0; round < 2; round++) {
      await scan(central, 1, { type: 0 });
      await time.pass(200);
      expect(central.take(report)).to.have.length(2);
      await central.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    }
  });

  it('remembers the last 4,096 packets as duplicates, and no more', async () => {
    const { air, time, central, peripheral } = await pair();
    await advertise(peripheral, { type: 3 });
    await scan(central, 1);
    expect(central.take(report)).to.have.length(1);
    air.faults.add({ device: 'hci0', type: 'background_advertisers', per_second: 10_000, times: 4095 });
    await time.pass(1000);
    expect(central.take(report)).to.have.length(4095);
    await time.pass(20);
    expect(central.take(report), 'known still').to.have.length(0);
    air.faults.add({ device: 'hci0', type: 'background_advertisers', per_second: 100, times: 1 });
    await time.pass(30);
    expect(central.take(report), 'the new advertisement and the forgotten one').to.have.length(2);
  });

  it('is disabled whatever Filter_Duplicates is (Core 5.4 Vol 4 Part E 7.8.11)', async () => {
    const { central } = await pair();
    await scan(central, 0);
    // LE Set Scan Enable: disabled, a reserved value.
    expect(text(await central.answer(bytes('01 0C 20 02 00 02')))).to.equal('04 0e 04 01 0c 20 00');
    expect(central.controller.scanner.enabled).to.equal(false);
  });

  it('filters duplicates though the data changes', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral);
    await scan(central, 1, { type: 0 });
    await peripheral.status('leSetAdvertisingData', { length: 3, data: bytes('02 01 04') });
    await time.pass(100);
    expect(central.take(report)).to.have.length(1);
  });

  it('receives changed data at the next advertising event', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral, { type: 3 });
    await scan(central, 0);
    central.take();
    await peripheral.status('leSetAdvertisingData', { length: 3, data: bytes('02 01 04') });
    await time.pass(20);
    expect(central.take(report).map((packet) => text(packet.subarray(13, -1)))).to.deep.equal([
      '03 02 01 04',
    ]);
  });

  it('receives nothing from its own controller, from a device out of range, or after it is disabled', async () => {
    const { air, time, central, peripheral } = await pair();
    air.setReception(PERIPHERAL, { inRange: false });
    await advertise(peripheral);
    await advertise(central);
    await scan(central, 0);
    await time.pass(100);
    expect(central.take(report)).to.deep.equal([]);
    air.setReception(PERIPHERAL, { inRange: true });
    await time.pass(20);
    expect(central.take(report)).to.not.deep.equal([]);
    await central.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    central.take();
    await time.pass(100);
    expect(central.take(report)).to.deep.equal([]);
  });

  it('costs nothing without a scanner: no timer runs', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral);
    expect(time.pending).to.equal(0);
    await scan(central, 0);
    await central.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    time.advance(1000);
    expect(time.pending).to.equal(0);
  });
});
