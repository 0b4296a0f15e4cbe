/** The first hour with a rig: the pages of dice, clocks and simulator, each in a tab of one browser. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { texts as shelfTexts } from '../../src/page/clocks/texts.js';
import { texts as tableTexts } from '../../src/page/dice/texts.js';
import { texts } from '../../src/page/texts.js';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { request } from '../support/client.js';
import { endPrograms, Program } from '../support/program.js';
import { sine, wav } from '../support/wav.js';
import { Visit } from './visit.js';

const DIE = 'D1:CE:00:00:00:01';
const CLOCK = '58:2D:34:00:00:01';

describe('A walk through all three pages', () => {
  let table: Visit;
  let shelf: Visit;
  let air: Visit;
  let control: number;

  const model = async (address: string): Promise<unknown> =>
    (await request(control, `/devices/${address}`)).body;

  before(async function () {
    const browser = await openBrowser(this);
    const rig = Program.rig(['--dice', '1', '--clocks', '1', '--pace', 'fast', '--scan-secs', '0.5']);
    const controlUrl = await rig.url('control API');
    control = Number(new URL(controlUrl).port);
    [table, shelf, air] = await Promise.all([
      Visit.at(browser, await rig.url('page')),
      Visit.at(browser, await rig.url('clock server')),
      Visit.at(browser, controlUrl),
    ]);
  });
  after(async () => {
    endPrograms();
    await closeBrowsers();
  });

  it('finds the devices by itself, and connects them', async () => {
    await Promise.all([table.sees(DIE), shelf.sees(CLOCK)]);
    await Promise.all([table.press(texts.connect), shelf.press(texts.connect)]);
    await Promise.all([table, shelf].map(({ page }) => page.locator('.card').waitFor()));
    expect(await model(DIE)).to.include({ connected: true });
    expect(await model(CLOCK)).to.include({ connected: true, authenticated: true });
  });

  it('rolls a die in the air, which lands on the table', async () => {
    await air.page.getByRole('button', { name: 'Die 00:01' }).click();
    await air.page.getByLabel('Face').selectOption('5');
    await air.press('Roll');
    await table.seesRolls(1);
    expect(await table.faces()).to.deep.equal(['5']);
    expect(await table.page.locator('.shape').getAttribute('aria-label')).to.equal('5');
  });

  it('sets an alarm, which is in the model of the clock', async () => {
    await shelf.press(shelfTexts.addAlarm);
    const dialog = shelf.page.locator('dialog.alarm');
    await dialog.getByLabel(shelfTexts.time).fill('06:45');
    await shelf.press(shelfTexts.save);
    await dialog.waitFor({ state: 'detached' });
    expect(await model(CLOCK)).to.have.nested.property('alarms[0].time', '06:45');
  });

  it('loses a link, says so, and says that it is healed', async () => {
    await air.press('Take out of range');
    await table.sees(tableTexts.away);
    await air.press('Bring back');
    await table.page.getByText(tableTexts.away).waitFor({ state: 'detached' });
    await air.press('Roll');
    await table.seesRolls(2);
  });

  it('uploads a tone, and shows how far it is', async () => {
    await shelf.page.locator('summary', { hasText: shelfTexts.tone }).click();
    const file = wav({ rate: 8_000, bits: 16 }, sine(8_000, 4));
    // Without the odd chunk, with which Chromium does not read it.
    const buffer = Buffer.concat([file.subarray(0, 12), file.subarray(24)]);
    await shelf.page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.wav', mimeType: 'audio/wav', buffer });
    const progress = shelf.page.locator('progress').waitFor();
    await shelf.press(shelfTexts.upload);
    await progress;
    await shelf.sees(shelfTexts.uploaded);
    expect(await model(CLOCK)).to.include({ ringtone: 'deaddead' });
  });

  it('asks no other server, and nothing fails in it', () => {
    for (const visit of [table, shelf]) visit.expectNoProblem();
  });
});
