/** The memory of the page of clocks during many reports. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { texts } from '../../src/page/common/texts.js';
import { world, type Control } from '../../simulators/testing/index.js';
import { keptBy } from './frames.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const CLOCKS = 5;
const REPORTS = 100;
/** The bytes that the page may keep of each report of each clock; the drawing of a report takes about 30 KiB. */
const ALLOWED_BYTES = 4 * 1024;

const temperatureAt = (report: number): number => 10 + (report % 13);

describe('The page of clocks', () => {
  let control: Control;
  let visit: Visit;

  stage(async (browser) => {
    const rig = await world({ clocks: CLOCKS, flags: { 'rate-limit': 0 } });
    ({ control } = rig);
    visit = await Visit.at(browser, rig.clock.url);
  });

  /** Resolves once the last report of each clock is shown. */
  const report = async (from: number, to: number): Promise<void> => {
    const clocks = (await control.devices()).filter(({ kind }) => kind === 'clock');
    for (let n = from; n < to; n++)
      for (const { address } of clocks)
        await control.act(address, { type: 'sensors', temperature: temperatureAt(n), humidity: 50 });
    await visit.seesAll(`article:has-text("${temperatureAt(to - 1)}.0 °C")`, CLOCKS);
  };

  it('releases the memory of earlier drawings', async () => {
    const session = await visit.page.context().newCDPSession(visit.page);
    await visit.press(texts.connectAll);
    await visit.seesAll('article', CLOCKS);
    await visit.page.reload();
    await visit.seesAll('article', CLOCKS);
    await report(0, 10);
    const before = await keptBy(session);
    await report(10, 10 + REPORTS);
    const after = await keptBy(session);
    expect(after.heap - before.heap).to.be.below(CLOCKS * REPORTS * ALLOWED_BYTES);
  });
});
