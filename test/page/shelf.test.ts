/** The shelf in a real browser, on the processes of a rig. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { post, request } from '../support/client.js';
import { endPrograms, Program } from '../support/program.js';
import { sine, wav } from '../support/wav.js';

const CLOCK = '58:2D:34:00:00:01';
const BOUND = '58:2D:34:00:00:02';
const TOKEN = 'token-of-the-shelf-test';

const FILE = wav({ rate: 8_000, bits: 16 }, sine(8_000, 2));
/** Without the odd chunk, with which Chromium does not read it. */
const SOUND = Buffer.concat([FILE.subarray(0, 12), FILE.subarray(24)]);

const AUTHORIZED = {
  headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
};

describe('The shelf', function () {
  this.timeout(60_000);
  let page: Page;
  let control: number;
  const problems: string[] = [];

  const model = async () => {
    const { body } = await request(control, `/devices/${CLOCK}`, AUTHORIZED);
    return body;
  };

  before(async function () {
    const browser = await openBrowser(this);
    const rig = Program.rig(['--dice', '0', '--clocks', '1', '--pace', 'fast'], {
      AIRBENCH_TOKEN: TOKEN,
      AIRBENCH_CONTROL_TOKEN: TOKEN,
    });
    control = Number(new URL(await rig.url('control API')).port);
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => problems.push(message.text()));
    await page.goto(await rig.url('clock server'));
  });

  after(async () => {
    endPrograms();
    await closeBrowsers();
  });

  it('asks for the token of the server', async () => {
    await page.getByLabel('Token').fill(TOKEN);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText('Live').waitFor();
    expect(problems.splice(0).join()).to.include('401');
  });

  it('connects a clock that it found', async () => {
    await page.getByRole('button', { name: 'Look for clocks' }).click();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
    expect(await model()).to.include({ connected: true, authenticated: true });
  });

  it('shows what the clock measures', async () => {
    await post(
      control,
      `/devices/${CLOCK}/actions`,
      { type: 'sensors', temperature: 23.4, humidity: 51 },
      AUTHORIZED,
    );
    await page.getByText('23.4 °C').waitFor();
    expect(await page.locator('.lcd').innerText()).to.include('51 %');
  });

  it('sets an alarm', async () => {
    await page.getByRole('button', { name: 'Add an alarm' }).click();
    await page.getByLabel('Slot 0: Time').fill('06:45');
    await page.getByRole('button', { name: 'Saturday' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    expect(await model()).to.deep.include({
      alarms: [{ slot: 0, time: '06:45', repeat_mask: 0b0111111, enabled: true, snooze: true }],
    });
  });

  it('shows what it would change of the settings, and writes that', async () => {
    await page.locator('summary', { hasText: 'Settings' }).click();
    await page.getByLabel('Volume').fill('5');
    expect(await page.locator('.changes').innerText()).to.equal('Volume: 3 becomes 5');
    await page.getByRole('button', { name: 'Write 1 change' }).click();
    await page.getByText('Nothing is changed.').waitFor();
    expect(await model()).to.have.nested.property('settings.volume', 5);
  });

  it('uploads a sound as a tone', async () => {
    await page.locator('summary', { hasText: 'Ringtone' }).click();
    await page.getByLabel('A sound of your own').setInputFiles({
      name: 'tone.wav',
      mimeType: 'audio/wav',
      buffer: SOUND,
    });
    await page.getByRole('button', { name: 'Upload to the clock' }).click();
    await page.getByText('The clock has the tone').waitFor();
    expect(await model()).to.include({ ringtone: 'deaddead' });
  });

  it('says what to do about a clock that is bound to another token', async () => {
    const bound = { kind: 'clock', address: BOUND, token: 'ff'.repeat(16) };
    expect((await post(control, '/devices', bound, AUTHORIZED)).status).to.equal(200);
    await page.getByRole('button', { name: 'Look for clocks' }).click();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('bound to another token', { exact: false }).first().waitFor();
    expect(await page.locator('.found ol').innerText()).to.include('hold its button');
  });

  it('had nothing to complain of', () => {
    expect(problems).to.deep.equal([]);
  });
});
