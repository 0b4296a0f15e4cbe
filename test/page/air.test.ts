/** The page of the simulated world in a real browser, against the processes of a rig. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { post, request } from '../support/client.js';
import { endPrograms, Program } from '../support/program.js';

const DIE = 'D1:CE:00:00:00:01';

describe('The air in a browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let dice: string;
  let control: string;
  let page: Page;
  let wrong: string[];

  before(async function () {
    browser = await openBrowser(this);
    const rig = Program.rig(['--dice', '2', '--clocks', '1', '--pace', 'fast']);
    dice = await rig.url('dice server');
    control = await rig.url('control API');
    page = await browser.newPage({ reducedMotion: 'reduce' });
    wrong = [];
    page.on('pageerror', ({ message }) => wrong.push(message));
    page.on('request', (sent) => {
      if (!sent.url().startsWith(control) && !sent.url().startsWith('data:')) wrong.push(sent.url());
    });
    await page.goto(control);
  });
  after(async () => {
    endPrograms();
    await closeBrowsers();
  });

  const portOf = (url: string): number => Number(new URL(url).port);
  const of = async (path: string): Promise<unknown> => (await request(portOf(control), path)).body;
  const mark = (name: string) => page.getByRole('button', { name });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  /** The first message of a WebSocket that has all of `parts`. */
  const received = (url: string, ...parts: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (!parts.every((part) => text.includes(part))) return;
        socket.close();
        resolve(text);
      });
    });

  it('shows each device where it is, and who is connected', async () => {
    await mark('Die 00:01 1, -60 dBm, advertising').waitFor();
    await mark('Clock 00:01 22°, -60 dBm, advertising').waitFor();
    await post(portOf(dice), '/api/connect', { address: DIE, dice_type: 'd6' });
    await mark('Die 00:01 1, -60 dBm, connected to hci').waitFor();
    expect(await page.locator('.link').count()).to.equal(1);
  });

  it('rolls a die, which the dice server tells its clients', async () => {
    const event = received(dice, '"Stable"', '"face":5');
    await mark('Die 00:01').click();
    await page.getByLabel('Face').selectOption('5');
    await press('Roll');
    expect(await event).to.include('"face":5');
    await page.getByText('5 is up, as a d6').waitFor();
    expect(await of(`/devices/${DIE}`)).to.deep.include({ rolling: false });
    expect(await page.locator('.curl code').textContent()).to.equal(
      `curl -s ${control}/devices/${DIE}/actions -H 'content-type: application/json' ` +
        `-d '{"type":"roll","die":"d6","face":5}'`,
    );
  });

  it('takes a device out of range by the keyboard, and brings it back', async () => {
    await mark('Die 00:02').press('ArrowDown');
    await mark('Die 00:02 1, -70 dBm').waitFor();
    await mark('Die 00:02').press('Enter');
    await press('Take out of range');
    await mark('Die 00:02 1, out of range').waitFor();
    expect(await of('/devices/D1:CE:00:00:00:02')).to.deep.include({ in_range: false });
    await press('Bring back');
    await mark('Die 00:02 1, -70 dBm').waitFor();
  });

  it('takes a device out of range by dragging it', async () => {
    const { x, y, width, height } = (await mark('Clock').locator('circle').boundingBox()) ?? expect.fail();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 600, y - 600, { steps: 4 });
    await page.mouse.up();
    await mark('Clock 00:01 22°, out of range').waitFor();
    expect(await of('/devices/58:2D:34:00:00:01')).to.deep.include({ in_range: false });
  });

  it('changes what the sensors of a clock measure', async () => {
    await mark('Clock').press('Enter');
    await page.getByLabel('Temperature').fill('30.5');
    await press('Set sensors');
    await page.locator('.readings').getByText('30.5').waitFor();
    expect(await of('/devices/58:2D:34:00:00:01')).to.deep.include({ temperature: 30.5 });
  });

  it('breaks a link, says what the fault has done, and ends it', async () => {
    await page.getByRole('combobox', { name: 'Type' }).selectOption('link_loss');
    await page.getByRole('combobox', { name: 'Device' }).selectOption(DIE);
    await press('Add');
    await page.getByText('acted once').waitFor();
    expect(await of('/faults')).to.deep.equal([{ device: DIE, type: 'link_loss', id: 'f1', hits: 1 }]);
    await press('Remove');
    await page.getByText('None is in force.').waitFor();
    expect(await of('/faults')).to.deep.equal([]);
  });

  it('begins chaos and ends it', async () => {
    await press('Start');
    await page.getByText(/^Runs: /).waitFor();
    await press('Stop');
    await page.getByText('No plan runs.').waitFor();
  });

  it('saves the trace', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download btsnoop')]);
    expect(download.suggestedFilename()).to.equal('air.btsnoop');
  });

  it('asks no other server, and nothing fails in it', () => {
    expect(wrong).to.deep.equal([]);
  });
});
