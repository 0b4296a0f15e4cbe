import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { pair } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

const report = isLeEvent(LeSubevent.extendedAdvertisingReport);
const timeout = isLeEvent(LeSubevent.scanTimeout);

/** Durations in units of 10 ms, periods in units of 1.28 s (Core 5.4 Vol 4 Part E 7.8.65). */
describe('Extended scanning', () => {
  const scanning = async (limits: string) => {
    const scene = await pair();
    const { time, central } = scene;
    await play(
      scene,
      `peripheral advertise; peripheral leSetScanResponseData; central extendedScan ${limits}`,
    );
    /** The number of reports within a time. */
    const pass = async (ms: number): Promise<number> => {
      central.take(report);
      for (let passed = 0; passed < ms; passed += 20) {
        time.advance(20);
        await otherTurns(3);
      }
      return central.take(report).length;
    };
    return { scene, central, pass };
  };

  it('ends after its duration with Scan Timeout, and receives no more', async () => {
    const { central, pass } = await scanning('duration=10');
    expect(await pass(80)).to.be.greaterThan(0);
    expect(central.take(timeout)).to.deep.equal([]);
    await pass(20);
    expect(central.take(timeout).map(text)).to.deep.equal(['04 3e 01 11']);
    expect(await pass(100)).to.equal(0);
  });

  it('pauses and begins again in each period, without Scan Timeout', async () => {
    const { central, pass } = await scanning('duration=10 period=1');
    expect(await pass(80)).to.be.greaterThan(0);
    await pass(20);
    expect(await pass(1160)).to.equal(0);
    expect(await pass(80)).to.be.greaterThan(0);
    expect(central.take(timeout)).to.deep.equal([]);
  });

  it('filters duplicates again in each period if configured to, else over all periods', async () => {
    const { pass } = await scanning('duration=10 period=1 filterDuplicates=2');
    expect(await pass(80), 'reported before').to.equal(0);
    expect(await pass(1220)).to.equal(2);
    const always = await scanning('duration=10 period=1 filterDuplicates=1');
    expect(await always.pass(2560)).to.equal(0);
  });

  it('ends without Scan Timeout when it is stopped', async () => {
    const { scene, central, pass } = await scanning('duration=10');
    await play(scene, 'central leSetExtendedScanEnable enable=0');
    await pass(200);
    expect(central.take(timeout)).to.deep.equal([]);
  });

  scenes({
    // The second command filters duplicates by period, without a period (Core 5.4 Vol 4 Part E 7.8.65).
    'is disabled whatever the other parameters are': `
      central extendedScan
      central leSetExtendedScanEnable enable=0 filterDuplicates=7 duration=128 period=1
      central leSetExtendedScanEnable enable=0 filterDuplicates=2`,
    'does not end with Scan Timeout if it has not begun': `
      central extendedScan ownAddressType=1 duration=10 -> 0x12; 100 ms; central hears nothing`,
    // Not connectable, legacy: 0x0010 (Core 5.4 Vol 4 Part E 7.7.65.13).
    'sends extended reports, even without extended parameters': `
      peripheral advertise type=3; central leSetExtendedScanEnable
      central hears extendedAdvertisingReport type=0x10`,
    // Legacy, connectable, scannable: 0x0013; its scan response: 0x001B.
    'receives scan responses if it is active on any PHY': `
      peripheral advertise
      central extendedScan scanningPhys=5 tail=x01120012000012001200
      central hears extendedAdvertisingReport type=0x13, extendedAdvertisingReport type=0x1b`,
    'receives no scan responses if it is active on no PHY': `
      peripheral advertise
      central extendedScan scanningPhys=5 tail=x00120012000012001200
      central hears extendedAdvertisingReport type=0x13, nothing`,
  });
});
