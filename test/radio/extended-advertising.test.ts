import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { send } from '../support/command-rows.js';
import { isLeEvent, text } from '../support/hci-host.js';
import { CENTRAL, pair } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

const report = isLeEvent(LeSubevent.extendedAdvertisingReport);

const DATA = 'leSetExtendedAdvertisingData';
const PARAMETERS = 'peripheral leSetExtendedAdvertisingParameters';
const ENABLE = 'peripheral leSetExtendedAdvertisingEnable';
const TERMINATED = 'peripheral hears advertisingSetTerminated';

describe('Extended advertising', () => {
  scenes({
    // Connectable: 0x0001; 1M and 2M; SID 5; no power; -60 dBm (Core 5.4 Vol 4 Part E 7.7.65.13).
    'is reported with its set’s SID and PHYs to extended scanners, and not to legacy scanners': `
      old joins 02:A1:B0:00:00:02; peripheral advertiseSet secondaryPhy=2; central extendedScan
      central hears 04 3E 1D 0D 01 01 00 00 01 00 00 00 CE D1 01 02 05 7F C4 00 00 00 00 00 00 00 00 00 03 02 01 06, nothing
      old scan; old hears nothing`,
    'is received by all scanners if it has legacy PDUs': `
      old joins 02:A1:B0:00:00:02; peripheral advertiseSet properties=0x10; central extendedScan
      central hears 04 3E 1D 0D 01 10 00 00 01 00 00 00 CE D1 01 00 FF 7F C4 00 00 00 00 00 00 00 00 00 03 02 01 06, nothing
      old scan; old hears 04 3E 0F 02 01 03 00 01 00 00 00 CE D1 03 02 01 06 C4, nothing`,
    'reports its power and hides its address if configured to': `
      peripheral advertiseSet properties=0x60; central extendedScan
      central hears 04 3E 1D 0D 01 00 00 FF 00 00 00 00 00 00 01 01 05 00 C4 00 00 00 00 00 00 00 00 00 03 02 01 06, nothing`,
    'is received only by scanners on the Coded PHY if it is sent there': `
      near joins 02:A1:B0:00:00:02; peripheral advertiseSet primaryPhy=3 secondaryPhy=3
      central extendedScan scanningPhys=4; near extendedScan; near hears nothing
      central hears extendedAdvertisingReport primaryPhy=3 secondaryPhy=3`,
    'has a random address for each set': `
      peripheral leSetRandomAddress address=C0:00:00:00:00:99; peripheral advertiseSet ownAddressType=1 -> 0x12
      ${PARAMETERS} set=2 ownAddressType=1
      peripheral leSetAdvertisingSetRandomAddress set=1 address=C0:00:00:00:00:01
      peripheral leSetAdvertisingSetRandomAddress set=2 address=40:00:00:00:00:02
      ${ENABLE}; ${ENABLE} tail=x02000000; central extendedScan
      central hears extendedAdvertisingReport addressType=1 address=C0:00:00:00:00:01
      central hears extendedAdvertisingReport addressType=1 address=40:00:00:00:00:02, nothing`,
    'responds to scan requests, and reports them to its host if configured to': `
      ${PARAMETERS} properties=2 scanRequestNotification=1; ${ENABLE} -> 0x0C
      peripheral leSetExtendedScanResponseData length=3 tail=x020941; ${ENABLE}; central extendedScan
      central hears extendedAdvertisingReport type=0x02 length=0, extendedAdvertisingReport type=0x0a length=3, nothing
      peripheral hears 04 3E 09 13 01 00 01 00 00 B0 A1 02, nothing`,
    'responds to scan requests without a report to its host by default': `
      peripheral advertiseSet properties=0x12; central extendedScan
      central hears 2 extendedAdvertisingReport, nothing; peripheral hears nothing`,
    // The link is on the secondary PHY.
    'connects, reports the link first and then the end of the set': `
      peripheral advertiseSet secondaryPhy=2; central leExtendedCreateConnection
      central hears connectionComplete status=0; peripheral hears connectionComplete, advertisingSetTerminated
      central leReadPhy -> txPhy=2 rxPhy=2`,
    'ends once if it connects at its last event': `
      central leExtendedCreateConnection; ${PARAMETERS} properties=1
      ${ENABLE} tail=x01000001; peripheral hears connectionComplete, 04 3E 06 12 00 01 40 00 01, nothing`,
    'is not connected by an initiator of legacy connections': `
      peripheral advertiseSet; central leCreateConnection; central hears nothing`,
    'ends after its duration with 0x3C, after its number of events with 0x43': `
      ${PARAMETERS}; ${ENABLE} tail=x01320000; 499 ms; peripheral hears nothing
      1 ms; peripheral hears 04 3E 06 12 3C 01 00 00 00
      ${ENABLE} tail=x01000003; 20 ms; peripheral hears nothing; 20 ms; peripheral hears 04 3E 06 12 43 01 00 00 03`,
    // Unchanged data gets a new Advertising DID.
    'reports changed data to scanners that filter duplicates': `
      peripheral advertiseSet properties=0; central extendedScan filterDuplicates=1
      20 ms; central hears extendedAdvertisingReport, nothing
      peripheral ${DATA} length=3 tail=x020104; 20 ms; central hears extendedAdvertisingReport, nothing
      peripheral ${DATA} operation=4; 20 ms; central hears extendedAdvertisingReport, nothing`,
  });

  it('is reported with long data in several reports, each with its data status', async () => {
    const scene = await pair();
    const { central } = scene;
    const data = Buffer.from(Array.from({ length: 500 }, (_, at) => at & 0xff));
    const part = (operation: number, from: number, to: number): string =>
      `peripheral ${DATA} operation=${operation} length=${to - from} tail=x${data.subarray(from, to).toString('hex')}`;
    await play(
      scene,
      `${PARAMETERS}; ${part(1, 0, 251)}; ${ENABLE} -> 0x0C; ${part(0, 251, 400)}; ${part(2, 400, 500)}
       ${ENABLE}; central extendedScan`,
    );
    const reports = central.take(report);
    // Data status in bits 5 and 6: more to come is 01, complete 00.
    expect(reports.map((event) => event.readUInt16LE(5))).to.deep.equal([0x20, 0x20, 0x00]);
    expect(Math.max(...reports.map(({ length }) => length))).to.equal(258);
    expect(text(Buffer.concat(reports.map((event) => event.subarray(29))))).to.equal(text(data));
  });

  it('comes at its interval plus up to 10 ms of chance at real pace', async () => {
    // 0xA0 × 0.625 ms
    await play(
      await pair({ pace: 'real' }),
      `peripheral advertiseSet; central extendedScan; 99 ms; central hears nothing
       11 ms; central hears extendedAdvertisingReport, nothing`,
    );
  });
});

describe('Advertising sets', () => {
  it('are at most eight: the ninth is refused with 0x07', async () => {
    const { peripheral } = await pair();
    const make = (set: number): Promise<number> =>
      send(peripheral, `leSetExtendedAdvertisingParameters set=${set}`);
    for (let set = 0; set < 8; set++) expect(await make(set)).to.equal(0);
    expect(await make(8)).to.equal(0x07);
    expect(await send(peripheral, 'leRemoveAdvertisingSet set=3')).to.equal(0);
    expect(await make(8)).to.equal(0);
  });

  scenes({
    'begin their data again with each first part': `
      ${PARAMETERS}; peripheral ${DATA} operation=1 length=4 tail=x04094242
      peripheral ${DATA} operation=1 length=2 tail=x0409; peripheral ${DATA} operation=2 length=3 tail=x414243
      ${ENABLE}; central extendedScan
      central hears 04 3E 1F 0D 01 00 00 00 01 00 00 00 CE D1 01 01 05 7F C4 00 00 00 00 00 00 00 00 00 05 04 09 41 42 43`,
    // Core 5.4 Vol 4 Part E 7.8.54.
    'have no data after new data that did not fit': `
      ${PARAMETERS} properties=1; peripheral ${DATA} length=3 tail=x020106
      peripheral ${DATA} length=246 tail=x${'00'.repeat(246)} -> 0x07
      ${ENABLE}; central extendedScan; central hears extendedAdvertisingReport length=0`,
    // 6 × 251 = 1506 of 1650 bytes; 145 more are one too many.
    'forget the parts of data that became too long, and need a first part again': `
      ${PARAMETERS}; peripheral ${DATA} operation=2 length=1 tail=x00 -> 0x0C
      peripheral ${DATA} operation=1 length=251 tail=x${'00'.repeat(251)}
      ${`peripheral ${DATA} operation=0 length=251 tail=x${'00'.repeat(251)}; `.repeat(5)}20 ms
      peripheral ${DATA} operation=2 length=145 tail=x${'00'.repeat(145)} -> 0x07
      peripheral ${DATA} operation=2 length=1 tail=x00 -> 0x0C
      peripheral ${DATA} operation=0 -> 0x12; peripheral ${DATA} operation=5 length=1 tail=x00 -> 0x12`,
  });
});

describe('Directed extended advertising', () => {
  const target = 'C0:11:22:33:44:55';
  scenes({
    'is received and connected by its target alone, under the address of its scan': `
      central leSetRandomAddress address=${target}
      peripheral advertiseSet properties=5 peerAddressType=1 peerAddress=${target}
      central extendedScan; central hears nothing; central leSetExtendedScanEnable enable=0
      central extendedScan ownAddressType=1
      central hears extendedAdvertisingReport directAddressType=1 directAddress=${target}, nothing
      central leExtendedCreateConnection ownAddressType=1
      peripheral hears connectionComplete peerAddress=${target} peerAddressType=1`,
    'needs a duration at high duty cycle, and ends with 0x3C': `
      ${PARAMETERS} properties=0x1d peerAddress=${CENTRAL}; peripheral ${DATA}; ${ENABLE} -> 0x12
      ${ENABLE} tail=x01800000; 1280 ms; ${TERMINATED} status=0x3c set=1 handle=0 completedEvents=0, nothing`,
  });
});
