/** Three simulated clocks on the page of clocks. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { texts } from '../../src/page/common/texts.js';
import { world } from '../../simulators/testing/index.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const COUNT = 3;
const SCREEN = { width: 1280, height: 800 };

/** In the browser: the lowest edge of all clocks. */
const LOWEST = `Math.max(...[...document.querySelectorAll('.clock')].map((clock) => clock.getBoundingClientRect().bottom))`;

describe('Three simulated clocks', () => {
  let visit: Visit;

  stage(async (browser) => {
    const { clock } = await world({ dice: 0, clocks: COUNT });
    visit = await Visit.at(browser, clock.url);
  });

  it('fit on one screen, each with buttons of its own name', async () => {
    await visit.seesAll('.found li', COUNT);
    await visit.press(texts.connectAll);
    await visit.seesAll('.clock .alarms', COUNT);
    await visit.page.locator('.found').waitFor({ state: 'detached' });
    await visit.page.setViewportSize(SCREEN);
    expect(await visit.page.evaluate<number>(LOWEST)).to.be.at.most(SCREEN.height);
    await visit.expectWellMade('clocks-three');
    for (const summary of await visit.page.locator('summary').all()) await summary.click();
    await visit.expectNamesApart();
    visit.expectNoProblem();
  });
});
