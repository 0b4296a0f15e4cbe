import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import {
  advertiseSet,
  enableSet,
  extendedConnectionTo,
  extendedScan,
  setParameters,
  stopExtendedScan,
  whole,
} from '../support/extended-scenes.js';
import { bytes, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { CENTRAL, PERIPHERAL, connectionTo, hostOn, pair, scan } from '../support/hci-scenes.js';

const report = isLeEvent(LeSubevent.extendedAdvertisingReport);
const legacyReport = isLeEvent(LeSubevent.advertisingReport);
const terminated = isLeEvent(LeSubevent.advertisingSetTerminated);

const DISALLOWED = 0x0c;
const INVALID = 0x12;
const FULL = 0x07;

describe('Extended advertising', () => {
  it('is reported with its set’s SID and PHYs to extended scanners, and not at all to legacy ones', async () => {
    const { air, central, peripheral } = await pair();
    const old = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await advertiseSet(peripheral, { secondaryPhy: 2 });
    await extendedScan(central);
    await scan(old, 0);
    // Connectable: 0x0001; 1M and 2M; SID 5; no power; -60 dBm (Core 5.4 Vol 4 Part E 7.7.65.13).
    expect(central.take(report).map(text)).to.deep.equal([
      '04 3e 1d 0d 01 01 00 00 01 00 00 00 ce d1 01 02 05 7f c4 00 00 00 00 00 00 00 00 00 03 02 01 06',
    ]);
    expect(old.take(legacyReport)).to.deep.equal([]);
  });

  it('of legacy PDUs is received by all, as legacy advertising is', async () => {
    const { air, central, peripheral } = await pair();
    const old = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await advertiseSet(peripheral, { properties: 0x0010 });
    await extendedScan(central);
    await scan(old, 0);
    expect(central.take(report).map(text)).to.deep.equal([
      '04 3e 1d 0d 01 10 00 00 01 00 00 00 ce d1 01 00 ff 7f c4 00 00 00 00 00 00 00 00 00 03 02 01 06',
    ]);
    expect(old.take(legacyReport).map(text)).to.deep.equal([
      '04 3e 0f 02 01 03 00 01 00 00 00 ce d1 03 02 01 06 c4',
    ]);
  });

  it('reports its power and hides its address if configured to', async () => {
    const { central, peripheral } = await pair();
    await advertiseSet(peripheral, { properties: 0x0060 });
    await extendedScan(central);
    expect(central.take(report).map(text)).to.deep.equal([
      '04 3e 1d 0d 01 00 00 ff 00 00 00 00 00 00 01 01 05 00 c4 00 00 00 00 00 00 00 00 00 03 02 01 06',
    ]);
  });

  it('on the Coded PHY is received by who scans there', async () => {
    const { air, central, peripheral } = await pair();
    const near = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await advertiseSet(peripheral, { primaryPhy: 3, secondaryPhy: 3 });
    await extendedScan(central, { scanningPhys: 4 });
    await extendedScan(near);
    expect(text(central.take(report)[0]?.subarray(14, 16) ?? Buffer.alloc(0))).to.equal('03 03');
    expect(near.take(report)).to.deep.equal([]);
  });

  it('brings long data in reports that say whether more is to come', async () => {
    const { central, peripheral } = await pair();
    const data = Buffer.from(Array.from({ length: 500 }, (_, at) => at & 0xff));
    expect(
      await peripheral.status('leSetExtendedAdvertisingParameters', { ...setParameters, properties: 0 }),
    ).to.equal(0);
    const part = async (operation: number, tail: Buffer): Promise<number> =>
      peripheral.status('leSetExtendedAdvertisingData', { ...whole(tail), operation });
    expect(await part(1, data.subarray(0, 251))).to.equal(0);
    expect(await peripheral.status('leSetExtendedAdvertisingEnable', enableSet()), 'half of it').to.equal(
      DISALLOWED,
    );
    expect(await part(0, data.subarray(251, 400))).to.equal(0);
    expect(await part(2, data.subarray(400))).to.equal(0);
    expect(await peripheral.status('leSetExtendedAdvertisingEnable', enableSet())).to.equal(0);
    await extendedScan(central);
    const reports = central.take(report);
    // Data status in bits 5 and 6: more to come is 01, complete 00.
    expect(reports.map((event) => event.readUInt16LE(5))).to.deep.equal([0x20, 0x20, 0x00]);
    expect(Math.max(...reports.map(({ length }) => length))).to.equal(258);
    expect(text(Buffer.concat(reports.map((event) => event.subarray(29))))).to.equal(text(data));
  });

  it('has a random address for each set', async () => {
    const { central, peripheral } = await pair();
    await peripheral.status('leSetRandomAddress', { address: 'C0:00:00:00:00:99' });
    const statuses = await advertiseSet(peripheral, { ownAddressType: 1 });
    expect(statuses, 'without an address of the set').to.deep.equal([0, 0, INVALID]);
    for (const [set, address] of [
      [1, 'C0:00:00:00:00:01'],
      [2, '40:00:00:00:00:02'],
    ] as const) {
      await peripheral.status('leSetExtendedAdvertisingParameters', {
        ...setParameters,
        set,
        ownAddressType: 1,
      });
      expect(await peripheral.status('leSetAdvertisingSetRandomAddress', { set, address })).to.equal(0);
      expect(
        await peripheral.status('leSetExtendedAdvertisingEnable', enableSet('00 00 00', `0${set}`)),
      ).to.equal(0);
    }
    await extendedScan(central);
    expect(central.take(report).map((event) => text(event.subarray(7, 14)))).to.deep.equal([
      '01 01 00 00 00 00 c0',
      '01 02 00 00 00 00 40',
    ]);
  });

  it('responds to scan requests, and reports them to its host if configured to', async () => {
    const { central, peripheral } = await pair();
    await peripheral.status('leSetExtendedAdvertisingParameters', {
      ...setParameters,
      properties: 0x0002,
      scanRequestNotification: 1,
    });
    expect(
      await peripheral.status('leSetExtendedAdvertisingEnable', enableSet()),
      'no response yet',
    ).to.equal(DISALLOWED);
    expect(await peripheral.status('leSetExtendedScanResponseData', whole(bytes('02 09 41')))).to.equal(0);
    expect(await peripheral.status('leSetExtendedAdvertisingEnable', enableSet())).to.equal(0);
    await extendedScan(central);
    expect(
      central.take(report).map((event) => text(event.subarray(5, 7)) + ` ${event.length - 29}`),
    ).to.deep.equal(['02 00 0', '0a 00 3']);
    expect(peripheral.take(isLeEvent(LeSubevent.scanRequestReceived)).map(text)).to.deep.equal([
      '04 3e 09 13 01 00 01 00 00 b0 a1 02',
    ]);
  });

  it('answers scan requests without telling its host if not', async () => {
    const { central, peripheral } = await pair();
    await advertiseSet(peripheral, { properties: 0x0012 });
    await extendedScan(central);
    expect(central.take(report)).to.have.length(2);
    expect(peripheral.take()).to.deep.equal([]);
  });

  it('at real pace comes at its interval, and up to 10 ms of chance', async () => {
    const { time, central, peripheral } = await pair({ pace: 'real' });
    await advertiseSet(peripheral);
    await extendedScan(central);
    // 0xA0 × 0.625 ms
    await time.pass(99);
    expect(central.take(report)).to.deep.equal([]);
    await time.pass(11);
    expect(central.take(report)).to.have.length(1);
  });

  it('connects, reports the link first and then the end of the set', async () => {
    const { central, peripheral } = await pair();
    await advertiseSet(peripheral, { secondaryPhy: 2 });
    expect(await central.status('leExtendedCreateConnection', extendedConnectionTo(PERIPHERAL))).to.equal(0);
    expect((await central.connected()).status).to.equal(0);
    await otherTurns();
    const heard = peripheral.take().map((event) => event[3]);
    expect(heard).to.deep.equal([LeSubevent.connectionComplete, LeSubevent.advertisingSetTerminated]);
    // The link is on the secondary PHY.
    expect(await central.returned('leReadPhy', { handle: 0x0040 })).to.deep.equal({
      handle: 0x0040,
      txPhy: 2,
      rxPhy: 2,
    });
  });

  it('ends once if it connects at its last event', async () => {
    const { central, peripheral } = await pair();
    await central.status('leExtendedCreateConnection', extendedConnectionTo(PERIPHERAL));
    await advertiseSet(peripheral, {}, bytes('02 01 06'), '00 00 01');
    await peripheral.connected();
    await otherTurns();
    expect(peripheral.take(terminated).map(text)).to.deep.equal(['04 3e 06 12 00 01 40 00 01']);
  });

  it('is not connected by who looks for legacy advertising', async () => {
    const { central, peripheral } = await pair();
    await advertiseSet(peripheral);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    await otherTurns();
    expect(central.take(isLeEvent(LeSubevent.connectionComplete))).to.deep.equal([]);
  });

  it('ends after its duration with 0x3C, after its number of events with 0x43', async () => {
    const { time, peripheral } = await pair();
    await advertiseSet(peripheral, {}, bytes('02 01 06'), '32 00 00');
    await time.pass(499);
    expect(peripheral.take(terminated)).to.deep.equal([]);
    await time.pass(1);
    expect(peripheral.take(terminated).map(text)).to.deep.equal(['04 3e 06 12 3c 01 00 00 00']);
    await peripheral.status('leSetExtendedAdvertisingEnable', enableSet('00 00 03'));
    await otherTurns();
    await time.pass(20);
    expect(peripheral.take(terminated)).to.deep.equal([]);
    await time.pass(20);
    expect(peripheral.take(terminated).map(text)).to.deep.equal(['04 3e 06 12 43 01 00 00 03']);
  });

  it('reports data that changed to scanners that filter duplicates', async () => {
    const { time, central, peripheral } = await pair();
    await advertiseSet(peripheral, { properties: 0 });
    await extendedScan(central, {}, { filterDuplicates: 1 });
    await time.pass(20);
    expect(central.take(report)).to.have.length(1);
    await peripheral.status('leSetExtendedAdvertisingData', whole(bytes('02 01 04')));
    await time.pass(20);
    expect(central.take(report)).to.have.length(1);
    const unchanged = { ...whole(Buffer.alloc(0)), operation: 4 };
    expect(await peripheral.status('leSetExtendedAdvertisingData', unchanged)).to.equal(0);
    await time.pass(20);
    expect(central.take(report), 'unchanged, with a new Advertising DID').to.have.length(1);
  });
});

describe('Advertising sets', () => {
  const host = async () => (await pair()).peripheral;

  it('there is room for eight: the ninth is 0x07', async () => {
    const peripheral = await host();
    for (let set = 0; set < 8; set++) {
      expect(
        await peripheral.status('leSetExtendedAdvertisingParameters', { ...setParameters, set }),
      ).to.equal(0);
    }
    expect(
      await peripheral.status('leSetExtendedAdvertisingParameters', { ...setParameters, set: 8 }),
    ).to.equal(FULL);
    expect(await peripheral.status('leRemoveAdvertisingSet', { set: 3 })).to.equal(0);
    expect(
      await peripheral.status('leSetExtendedAdvertisingParameters', { ...setParameters, set: 8 }),
    ).to.equal(0);
  });

  it('begin their data again with each first part', async () => {
    const { central, peripheral } = await pair();
    await peripheral.status('leSetExtendedAdvertisingParameters', setParameters);
    for (const [operation, part] of [
      [1, '04 09 42 42'],
      [1, '04 09'],
      [2, '41 42 43'],
    ] as const) {
      const data = { ...whole(bytes(part)), operation };
      expect(await peripheral.status('leSetExtendedAdvertisingData', data)).to.equal(0);
    }
    await peripheral.status('leSetExtendedAdvertisingEnable', enableSet());
    await extendedScan(central);
    expect(text((await central.next(report)).subarray(29))).to.equal('04 09 41 42 43');
  });

  it('have no data once new data has begun and did not fit (Core 5.4 Vol 4 Part E 7.8.54)', async () => {
    const { central, peripheral } = await pair();
    await peripheral.status('leSetExtendedAdvertisingParameters', setParameters);
    await peripheral.status('leSetExtendedAdvertisingData', whole(bytes('02 01 06')));
    expect(await peripheral.status('leSetExtendedAdvertisingData', whole(Buffer.alloc(246)))).to.equal(FULL);
    await peripheral.status('leSetExtendedAdvertisingEnable', enableSet());
    await extendedScan(central);
    const heard = await central.next(isLeEvent(LeSubevent.extendedAdvertisingReport));
    expect(heard.length, 'a report without data').to.equal(29);
  });

  it('forget the parts of data that grew too long: 0x07, and then no part without a first', async () => {
    const peripheral = await host();
    await peripheral.status('leSetExtendedAdvertisingParameters', { ...setParameters, properties: 0 });
    const part = (operation: number, length: number): Promise<number> =>
      peripheral.status('leSetExtendedAdvertisingData', { ...whole(Buffer.alloc(length)), operation });
    expect(await part(2, 1)).to.equal(DISALLOWED);
    expect(await part(1, 251)).to.equal(0);
    // 6 × 251 = 1506 of 1650 bytes; 145 more are one too many.
    for (let times = 0; times < 5; times++) expect(await part(0, 251)).to.equal(0);
    expect(await part(2, 145)).to.equal(FULL);
    expect(await part(2, 1)).to.equal(DISALLOWED);
    expect(await part(0, 0), 'an empty part').to.equal(INVALID);
    expect(await part(5, 1)).to.equal(INVALID);
  });
});

describe('Directed extended advertising', () => {
  it('is received and connected by its target alone, by the address that the target scans with', async () => {
    const { central, peripheral } = await pair();
    await central.status('leSetRandomAddress', { address: 'C0:11:22:33:44:55' });
    const target = { peerAddressType: 1, peerAddress: 'C0:11:22:33:44:55' };
    await advertiseSet(peripheral, { properties: 0x0005, ...target });
    await extendedScan(central);
    expect(central.take(report), 'by its public address').to.deep.equal([]);
    await stopExtendedScan(central);
    await extendedScan(central, { ownAddressType: 1 });
    expect(central.take(report).map((event) => text(event.subarray(21, 28)))).to.deep.equal([
      '01 55 44 33 22 11 c0',
    ]);
    await central.status('leExtendedCreateConnection', {
      ...extendedConnectionTo(PERIPHERAL),
      ownAddressType: 1,
    });
    expect(await peripheral.connected()).to.include({ peerAddress: 'C0:11:22:33:44:55', peerAddressType: 1 });
  });

  it('of high duty cycle needs a duration and ends with 0x3C', async () => {
    const { time, peripheral } = await pair();
    const directed = { properties: 0x001d, peerAddress: CENTRAL };
    expect(await advertiseSet(peripheral, directed, Buffer.alloc(0))).to.deep.equal([0, 0, INVALID]);
    expect(await peripheral.status('leSetExtendedAdvertisingEnable', enableSet('80 00 00'))).to.equal(0);
    await time.pass(1280);
    expect(peripheral.take(terminated).map(text)).to.deep.equal(['04 3e 06 12 3c 01 00 00 00']);
    expect(peripheral.take(isLeEvent(LeSubevent.connectionComplete))).to.deep.equal([]);
  });
});
