import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent } from '../support/hci-host.js';
import { advertise, pair, scan } from '../support/hci-scenes.js';
import { scenes } from '../support/scenes.js';

const report = isLeEvent(LeSubevent.advertisingReport);

describe('A scan', () => {
  scenes({
    // One report, ADV_IND and SCAN_RSP, public address, data, -60 dBm (Core 5.4 Vol 4 Part E 7.7.65.2).
    'reports type, address, data and RSSI, the scan response after the advertisement': `
      peripheral advertise; central scan
      central hears 04 3E 12 02 01 00 00 01 00 00 00 CE D1 06 02 01 06 02 09 41 C4
      central hears 04 3E 10 02 01 04 00 01 00 00 00 CE D1 04 03 03 00 18 C4, nothing`,
    // Event types 0x0013 and 0x001B: legacy, connectable, scannable; a scan response (7.7.65.13).
    'reports legacy advertising in extended reports to a host that scans by extended commands': `
      peripheral advertise; central extendedScan
      central hears 04 3E 20 0D 01 13 00 00 01 00 00 00 CE D1 01 00 FF 7F C4 00 00 00 00 00 00 00 00 00 06 02 01 06 02 09 41
      central hears 04 3E 1E 0D 01 1B 00 00 01 00 00 00 CE D1 01 00 FF 7F C4 00 00 00 00 00 00 00 00 00 04 03 03 00 18, nothing`,
    'reports ADV_SCAN_IND by its type, legacy and extended': `
      other joins 02:A1:B0:00:00:02; peripheral advertise type=2
      central scan; central hears advertisingReport type=2, advertisingReport type=4
      other extendedScan; other hears extendedAdvertisingReport type=0x12, extendedAdvertisingReport type=0x1a`,
    'reports ADV_NONCONN_IND by its type, legacy and extended': `
      other joins 02:A1:B0:00:00:02; peripheral advertise type=3
      central scan; central hears advertisingReport type=3, nothing
      other extendedScan; other hears extendedAdvertisingReport type=0x10, nothing`,
    'filters duplicates by address, again each time it is enabled': `
      other joins D2:00:00:00:00:02; peripheral advertise; other advertise
      central scan filterDuplicates=1 type=0; 200 ms; central hears 2 advertisingReport, nothing
      central leSetScanEnable enable=0
      central scan filterDuplicates=1 type=0; 200 ms; central hears 2 advertisingReport, nothing`,
    'filters duplicates even if the data changes': `
      peripheral advertise; central scan filterDuplicates=1 type=0
      peripheral leSetAdvertisingData length=3 data=x020104; 100 ms
      central hears advertisingReport, nothing`,
    'receives changed data at the next advertising event': `
      peripheral advertise type=3; central scan; central forgets
      peripheral leSetAdvertisingData length=3 data=x020104; 20 ms
      central hears 04 3E 0F 02 01 03 00 01 00 00 00 CE D1 03 02 01 04 C4`,
    'receives nothing from its own controller, from a device out of range, or after it is disabled': `
      peripheral leaves; peripheral advertise type=3
      central advertise; central scan; 100 ms; central hears nothing
      peripheral returns; 20 ms; central hears advertisingReport, nothing
      central leSetScanEnable enable=0; 100 ms; central hears nothing`,
    // Core 5.4 Vol 4 Part E 7.8.11.
    'is disabled whatever Filter_Duplicates is': `
      peripheral advertise; central scan; central leSetScanEnable enable=0 filterDuplicates=2
      central forgets; 100 ms; central hears nothing`,
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
    expect(central.take(report), 'still remembered').to.have.length(0);
    air.faults.add({ device: 'hci0', type: 'background_advertisers', per_second: 100, times: 1 });
    await time.pass(30);
    expect(central.take(report), 'the new advertisement and the forgotten one').to.have.length(2);
  });

  it('leaves no timer of advertisers when it ends', async () => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral);
    expect(time.pending).to.equal(0);
    await scan(central, 0);
    await central.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    time.advance(1000);
    expect(time.pending).to.equal(0);
  });
});
