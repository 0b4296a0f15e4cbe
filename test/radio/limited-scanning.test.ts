import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { extendedScan, stopExtendedScan } from '../support/extended-scenes.js';
import { bytes, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { advertise, pair } from '../support/hci-scenes.js';

const report = isLeEvent(LeSubevent.extendedAdvertisingReport);
const timeout = isLeEvent(LeSubevent.scanTimeout);

/** Durations in units of 10 ms, periods in units of 1.28 s (Core 5.4 Vol 4 Part E 7.8.65). */
describe('Extended scanning', () => {
  const scanning = async (limits: { duration: number; period: number; filterDuplicates?: number }) => {
    const { time, central, peripheral } = await pair();
    await advertise(peripheral, {}, undefined, Buffer.alloc(0));
    const statuses = await extendedScan(central, { scanningPhys: 1 }, limits);
    await otherTurns();
    const pass = async (ms: number): Promise<number> => {
      central.take(report);
      for (let passed = 0; passed < ms; passed += 20) {
        time.advance(20);
        await otherTurns(3);
      }
      return central.take(report).length;
    };
    return { time, central, statuses, pass };
  };

  it('ends after its duration with Scan Timeout, and receives no more', async () => {
    const { central, pass } = await scanning({ duration: 10, period: 0 });
    expect(await pass(80)).to.be.greaterThan(0);
    expect(central.take(timeout)).to.deep.equal([]);
    await pass(20);
    expect(central.take(timeout).map(text)).to.deep.equal(['04 3e 01 11']);
    expect(await pass(100)).to.equal(0);
  });

  it('with a period pauses and begins again, without Scan Timeout', async () => {
    const { central, pass } = await scanning({ duration: 10, period: 1 });
    expect(await pass(80)).to.be.greaterThan(0);
    await pass(20);
    expect(await pass(1160)).to.equal(0);
    expect(await pass(80)).to.be.greaterThan(0);
    expect(central.take(timeout)).to.deep.equal([]);
  });

  it('filters duplicates again in each period if configured to', async () => {
    const { pass } = await scanning({ duration: 10, period: 1, filterDuplicates: 2 });
    expect(await pass(80), 'reported before').to.equal(0);
    expect(await pass(1220)).to.equal(2);
  });

  it('filters duplicates over all periods if not', async () => {
    const { pass } = await scanning({ duration: 10, period: 1, filterDuplicates: 1 });
    expect(await pass(2560)).to.equal(0);
  });

  it('ends without Scan Timeout when it is stopped', async () => {
    const { central, pass } = await scanning({ duration: 10, period: 0 });
    expect(await stopExtendedScan(central)).to.equal(0);
    await pass(200);
    expect(central.take(timeout)).to.deep.equal([]);
  });

  it('is disabled whatever the other parameters are (Core 5.4 Vol 4 Part E 7.8.65)', async () => {
    const { central } = await scanning({ duration: 0, period: 0 });
    expect(text(await central.answer(bytes('01 42 20 06 00 07 80 00 01 00')))).to.equal(
      '04 0e 04 01 42 20 00',
    );
    // Disabled, with duplicates filtered by periods that do not come.
    expect(text(await central.answer(bytes('01 42 20 06 00 02 00 00 00 00')))).to.equal(
      '04 0e 04 01 42 20 00',
    );
  });

  it('reports by extended reports, though no parameters were set for it', async () => {
    const { central, peripheral } = await pair();
    await advertise(peripheral, { type: 3 });
    expect(text(await central.answer(bytes('01 42 20 06 01 00 00 00 00 00')))).to.equal(
      '04 0e 04 01 42 20 00',
    );
    // Not connectable, legacy: 0x0010 (Core 5.4 Vol 4 Part E 7.7.65.13).
    expect(text((await central.next(report)).subarray(0, 7))).to.equal('04 3e 20 0d 01 10 00');
  });

  it('asks for scan responses if it is active on any PHY', async () => {
    for (const [tail, types] of [
      ['00 12 00 12 00 00 12 00 12 00', [0x13]],
      ['01 12 00 12 00 00 12 00 12 00', [0x13, 0x1b]],
    ] as const) {
      const { central, peripheral } = await pair();
      await advertise(peripheral);
      await extendedScan(central, { scanningPhys: 5, tail: bytes(tail) });
      // Legacy, connectable, scannable: 0x0013; its scan response: 0x001B (Core 5.4 Vol 4 Part E 7.7.65.13).
      expect(central.take(report).map((event) => event[5])).to.deep.equal(types);
    }
  });
});
