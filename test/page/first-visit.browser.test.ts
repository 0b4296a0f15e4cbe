/** The first visit to the pages of a newly started rig. */
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { texts as clockTexts } from '../../src/page/clocks/texts.js';
import { texts as diceTexts } from '../../src/page/dice/texts.js';
import { texts } from '../../src/page/common/texts.js';
import { newFolder } from '../support/folders.js';
import { portOf } from '../support/client.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { world, type World } from '../../simulators/testing/index.js';
import { stage, openAir } from './stage.js';
import { Visit } from './visit.js';

const PUBLIC = 'https://home.example';

/** In the browser: the colours of all rolls, the newest first. */
const COLOURS =
  "[...document.querySelectorAll('.rolls li')].map((roll) => getComputedStyle(roll).backgroundColor)";

/** In the browser: the names and addresses of the links to other pages. */
const LINKS = `Object.fromEntries(
  [...document.querySelectorAll('nav a')].map((link) => [link.innerText, link.getAttribute('href')]),
)`;

describe('A first visit', () => {
  let browser: Browser;
  let rig: World;

  stage(async (opened) => {
    browser = opened;
    rig = await world({ dice: 3, clocks: 2 });
  });

  const linksOf = async ({ page }: Visit): Promise<Readonly<Record<string, string>>> => {
    await page.getByRole('link', { name: texts.docs, exact: true }).waitFor();
    return page.evaluate<Record<string, string>>(LINKS);
  };

  for (const { kind, own, count } of [
    { kind: 'dice', own: diceTexts, count: 3 },
    { kind: 'clock', own: clockTexts, count: 2 },
  ] as const)
    it(`to the ${own.title.toLowerCase()} finds all devices, connects them, and then shows no notice of a search without a result`, async () => {
      const visit = await Visit.at(browser, rig[kind].url);
      await visit.page.getByRole('progressbar', { name: own.scanning }).waitFor();
      await visit.expectWellMade(`first-visit-${kind}`);
      await visit.seesAll('.found li', count);
      await visit.expectNamesApart();
      await visit.press(texts.connectAll);
      await visit.seesAll('article', count);
      await visit.page.locator('.found').waitFor({ state: 'detached' });
      for (const text of [own.empty, own.nothingFound, own.nothingElseFound])
        expect(await visit.page.getByText(text).count()).to.equal(0);
      await visit.press(own.scan);
      await visit.sees(own.nothingElseFound);
      visit.expectNoProblem();
    });

  it('to the dice shows the die of each roll by its colour', async () => {
    const visit = await Visit.at(browser, rig.dice.url);
    await visit.seesAll('.card', 3);
    for (const last of ['01', '02', '01']) {
      await rig.control.act(`D1:CE:00:00:00:${last}`, { type: 'roll', roll_ms: 0, face: 4 });
      await visit.page.locator('.rolls li', { hasText: '4' }).first().waitFor();
    }
    await visit.seesAll('.rolls li', 3);
    const [newest, second, first] = await visit.page.evaluate<readonly string[]>(COLOURS);
    expect(first).to.equal(newest);
    expect(second).to.not.equal(newest);
    expect(await visit.page.locator('.rolls li').first().getAttribute('title')).to.match(/_R_v04, red, /);
  });

  it('leads from each page to the others, and to the documents of each server', async () => {
    const urls = {
      Dice: `${rig.dice.url}/`,
      Clocks: `${rig.clock.url}/`,
      Simulator: `${rig.control.url}/`,
    };
    for (const [name, url] of Object.entries(urls)) {
      const visit = await Visit.at(browser, url);
      await visit.sees(texts.connection.open);
      const otherPages = Object.entries(urls).filter(([other]) => other !== name);
      await visit.page.getByRole('link', { name: otherPages[0]?.[0] ?? '', exact: true }).waitFor();
      expect(await linksOf(visit), name).to.deep.equal({
        ...Object.fromEntries(otherPages),
        [texts.docs]: `${url}docs`,
      });
      await visit.page.getByRole('link', { name: texts.docs, exact: true }).click();
      await visit.page.waitForURL(`${url}docs`);
    }
  });

  it('shows that the dice are simulated, and opens the simulator in a tab of its own', async () => {
    const visit = await Visit.at(browser, rig.dice.url);
    const [simulator] = await Promise.all([
      visit.page.waitForEvent('popup'),
      visit.page.getByRole('link', { name: texts.simulated.dice.link }).click(),
    ]);
    await simulator.waitForURL(`${rig.control.url}/`);
    await simulator.getByRole('button', { name: 'Die 00:01' }).waitFor();
  });

  it('to a server without a rig does not mention a simulator', async () => {
    const { hci } = await openAir({ dice: 0, clocks: 0 });
    const server = Program.server('dice', hci, ['--data-dir', newFolder()]);
    const visit = await Visit.at(browser, await server.url('dice server'));
    await visit.sees(diceTexts.nothingFound);
    await visit.expectWellMade('first-visit-nothing');
    expect(Object.keys(await linksOf(visit))).to.deep.equal([texts.docs]);
  });
});

describe('The pages of a rig behind a proxy', () => {
  after(endPrograms);

  it('have the URLs of the flags', async () => {
    const rig = await world({
      flags: { 'dice-url': `${PUBLIC}/dice/`, 'simulator-url': `${PUBLIC}/simulator/` },
    });
    const [dice, clock, control] = [rig.dice, rig.clock, rig.control].map(({ url }) => portOf(url));
    const pages = {
      dice: { url: `${PUBLIC}/dice/`, address: '127.0.0.1', port: dice },
      clock: { url: null, address: '127.0.0.1', port: clock },
      simulator: { url: `${PUBLIC}/simulator/`, address: '127.0.0.1', port: control },
    };
    for (const api of [rig.dice, rig.clock, rig.control])
      expect(await api.get('/health')).to.deep.include({ pages });
  });
});
