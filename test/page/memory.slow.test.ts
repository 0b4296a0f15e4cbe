/** The memory of a page while devices report for long. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Browser, CDPSession } from 'playwright-core';
import { texts } from '../../src/page/common/texts.js';
import { world, type World } from '../../simulators/testing/index.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

/** The number of devices of each kind. */
const DEVICES = 5;
const REPORTS = 100;
const MIB = 1024 * 1024;
/** 4 KiB for each report of each device, of which less is kept; the drawing of one takes some 30 KiB. */
const ALLOWED_MIB = (DEVICES * REPORTS * 4) / 1024;

describe('The memory of a page', () => {
  let browser: Browser;
  let rig: World;

  stage(async (opened) => {
    browser = opened;
    rig = await world({ dice: DEVICES, clocks: DEVICES, flags: { 'rate-limit': 0 } });
  });

  const addressesOf = async (kind: string): Promise<readonly string[]> => {
    const devices = await rig.control.devices();
    return devices.filter((device) => device.kind === kind).map(({ address }) => address);
  };

  const act = (address: string, action: object) => rig.control.act(address, action);

  /** After a collection, MiB. */
  const heap = async (session: CDPSession): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / MIB;
  };

  /** The growth of the heap while each device sends its reports, MiB; resolves once the last one is shown. */
  const growth = async (
    visit: Visit,
    kind: string,
    reportOf: (n: number) => object,
    shown: (n: number) => string,
  ): Promise<number> => {
    const addresses = await addressesOf(kind);
    const report = async (from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n++) for (const address of addresses) await act(address, reportOf(n));
      const cards = visit.page.locator('article').filter({ hasText: shown(to - 1) });
      await cards.nth(DEVICES - 1).waitFor();
    };
    const session = await visit.page.context().newCDPSession(visit.page);
    await visit.press(texts.connectAll);
    await visit.page
      .locator('article')
      .nth(DEVICES - 1)
      .waitFor();
    await visit.page.reload();
    await visit.page
      .locator('article')
      .nth(DEVICES - 1)
      .waitFor();
    await report(0, 10);
    const before = await heap(session);
    await report(10, 10 + REPORTS);
    return (await heap(session)) - before;
  };

  it('of the clocks does not grow by all that was ever drawn', async () => {
    const visit = await Visit.at(browser, rig.clock.url);
    const temperatureAt = (n: number): number => 10 + (n % 13);
    const grown = await growth(
      visit,
      'clock',
      (n) => ({ type: 'sensors', temperature: temperatureAt(n), humidity: 50 }),
      (n) => `${temperatureAt(n)}.0 °C`,
    );
    expect(grown).to.be.below(ALLOWED_MIB);
  });

  it('of the dice does not grow by all that was ever drawn', async () => {
    const visit = await Visit.at(browser, rig.dice.url);
    const grown = await growth(
      visit,
      'dice',
      (n) => ({ type: 'roll', face: 1 + (n % 6), roll_ms: 0 }),
      (n) => `${n + 1} rolls`,
    );
    expect(grown).to.be.below(ALLOWED_MIB);
  });
});
