/** Six simulated dice on the page of dice, as people at a table use them. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { texts as own } from '../../src/page/dice/texts.js';
import { texts as shared } from '../../src/page/common/texts.js';
import { world, type Control } from '../../simulators/testing/index.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const texts = { ...own, ...shared };

const COUNT = 6;
const DIE = 'D1:CE:00:00:00:01';
const ADVERTISED = 'GoDice_000001_R_v04';
const SECOND = 'GoDice_000002_G_v04';
/** A longer roll was caught. */
const LONGEST_ROLL_MS = 8_000;
/** 29 letters without a space. */
const LABEL = 'Abcdefghijklmnopqrstuvwxyzabc';
const PHONE = { width: 390, height: 844 };

/** In the browser: the lowest edge of all dice. */
const LOWEST = `Math.max(...[...document.querySelectorAll('.die')].map((die) => die.getBoundingClientRect().bottom))`;

describe('Six simulated dice', () => {
  let visit: Visit;
  let control: Control;
  let url: string;

  const button = (name: string): Locator => visit.page.getByRole('button', { name, exact: true });

  const disconnect = async (): Promise<void> => {
    await visit.press(texts.settingsOf(LABEL));
    await visit.press(`${texts.disconnect} ${LABEL}`);
    await visit.sees(/^Gone since /);
  };

  stage(async (browser) => {
    const rig = await world({ dice: COUNT / 2, pixels: COUNT / 2, pace: 'real' });
    ({ url } = rig.dice);
    ({ control } = rig);
    visit = await Visit.at(browser, url);
  });

  it('are connected and tumble after one click on an empty page', async () => {
    await visit.seesAll('.found li', COUNT);
    await visit.press(texts.rollAll);
    await visit.page.locator('.rolling').first().waitFor();
    await visit.seesAll('.rolls li', COUNT);
    await visit.seesAll('.die', COUNT);
  });

  it('fit on the screen of a phone', async () => {
    await visit.page.locator('.found').waitFor({ state: 'detached' });
    await visit.page.setViewportSize(PHONE);
    expect(await visit.page.evaluate<number>(LOWEST)).to.be.at.most(PHONE.height);
    await visit.expectWellMade('table-cards');
  });

  it('are rolled one by one', async () => {
    await button(`${texts.roll} ${ADVERTISED}`).click();
    await visit.seesAll('.rolls li', COUNT + 1);
  });

  it('tumble again when one that was caught is rolled again', async () => {
    const { page } = visit;
    await page.clock.install();
    await control.act(DIE, { type: 'roll', roll_ms: 60_000 });
    await page.locator('.rolling').waitFor();
    await page.clock.fastForward(LONGEST_ROLL_MS);
    await visit.sees(texts.notLanded);
    expect(await page.locator('.rolling').count()).to.equal(0);
    await control.act(DIE, { type: 'roll', roll_ms: 60_000 });
    await page.locator('.rolling').waitFor();
    await control.act(DIE, { type: 'roll', roll_ms: 0 });
    await page.locator('.rolling').waitFor({ state: 'detached' });
  });

  it('are named in place; Escape keeps the old name', async () => {
    const field = visit.page.getByLabel(texts.labelOf(ADVERTISED));
    await button(ADVERTISED).click();
    await field.fill('wrong');
    await field.press('Escape');
    await button(ADVERTISED).click();
    await field.fill(LABEL);
    await field.press('Enter');
    await button(LABEL).waitFor();
    await visit.expectWellMade('table-long-name');
  });

  it('are put into another shell', async () => {
    await visit.press(texts.settingsOf(LABEL));
    await visit.page.getByLabel(texts.shell).selectOption('d20');
    await visit.page.locator('.die .type', { hasText: 'd20' }).nth(1).waitFor();
    await visit.press(texts.settingsOf(SECOND));
    await visit.expectNamesApart();
    await visit.expectWellMade('table-settings');
  });

  const start = async (formula: string): Promise<void> => {
    await visit.page.getByLabel(texts.expression, { exact: true }).fill(formula);
    await visit.press(texts.sumNow);
  };

  it('begin no sum of a formula that is not supported', async () => {
    await start('/roll 3d6!');
    await visit.sees(texts.refused({ _tag: 'Unsupported', feature: 'exploding', part: '!' }));
    expect(await visit.page.locator('.sum .total').count()).to.equal(0);
  });

  it('count in a sum unless a person says no, also after a reload', async () => {
    const counts = visit.page.getByLabel(texts.inSums);
    const begin = async (): Promise<void> => {
      await start('d20');
      await counts.first().waitFor();
    };
    expect(await counts.count()).to.equal(0);
    await begin();
    await counts.first().uncheck();
    await visit.page.reload();
    await visit.seesAll('.die', COUNT);
    await begin();
    expect(await counts.first().isChecked()).to.equal(false);
    expect(await counts.nth(1).isChecked()).to.equal(true);
    await visit.press(texts.sumEnd);
  });

  it('are a table in every tab once one tab shows it, with the total of the faces', async () => {
    const other = await visit.page.context().newPage();
    await other.goto(url);
    await other.getByRole('button', { name: texts.views.table }).click();
    await visit.seesAll('.dice tbody tr', COUNT);
    await visit.expectWellMade('table-table');
    const faces = await visit.page.locator('.dice .shape').allTextContents();
    const sum = faces.reduce((all, face) => all + Number(face), 0);
    // The d10 may show 0, which is ten.
    expect([sum, sum + 10].map(String)).to.include(await visit.page.locator('.total').innerText());
    await other.close();
  });

  it('stay when they are gone, with a way back', async () => {
    await control.place(DIE, { in_range: false });
    await visit.sees(/^Out of range since /);
    await disconnect();
    await visit.expectWellMade('table-gone');
    await button(`${texts.connect} ${LABEL}`).click();
    await button(`${texts.giveUp} ${LABEL}`).click();
    await button(`${texts.connect} ${LABEL}`).waitFor();
  });

  it('are connected by a roll, of one die or of all', async () => {
    const before = (await visit.faces()).length;
    await control.place(DIE, { in_range: true });
    await button(`${texts.roll} ${LABEL}`).click();
    await visit.seesAll('.rolls li', before + 1);
    await disconnect();
    await visit.press(texts.scan);
    await visit.page.locator('.progress').waitFor();
    await visit.page.locator('.progress').waitFor({ state: 'detached' });
    await visit.press(texts.rollAll);
    await visit.seesAll('.rolls li', before + 1 + COUNT);
    await disconnect();
  });

  it('are forgotten after a question', async () => {
    await visit.press(texts.forgetOf(LABEL));
    await visit.expectWellMade('table-forget');
    await visit.page.getByRole('dialog').getByRole('button', { name: texts.forget }).click();
    await button(LABEL).waitFor({ state: 'detached' });
    await visit.seesAll('.dice tbody tr', COUNT - 1);
    expect(await visit.page.locator('.dice tbody tr').count()).to.equal(COUNT - 1);
    visit.expectNoProblem();
  });
});
