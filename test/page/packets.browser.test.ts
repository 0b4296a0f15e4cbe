/** The list of packets on the page of the simulator, in a real browser. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { world } from '../../simulators/testing/index.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const DIE = 'D1:CE:00:00:00:01';

describe('The packets of the air in a browser', () => {
  let visit: Visit;
  let list: Locator;

  stage(async (browser) => {
    const { dice, control } = await world({ dice: 1, clocks: 1 });
    await dice.post('/api/connect', { address: DIE, dice_type: 'd6' });
    visit = await Visit.at(browser, control.url);
    list = visit.page.getByRole('listbox', { name: 'Packets' });
    await visit.page.getByRole('button', { name: 'Die 00:01' }).click();
  });

  const roll = async (face: string): Promise<void> => {
    await visit.page.getByLabel('Face').selectOption(face);
    await visit.press('Roll');
    await visit.sees(`${face} is up, as a d6`);
  };
  const choose = (label: string, option: string) =>
    visit.page.locator('.filters').getByRole('combobox', { name: label }).selectOption(option);
  const find = (text: string) => visit.page.getByRole('searchbox', { name: 'Find' }).fill(text);
  const seesCount = (count: RegExp) => visit.page.getByText(count).waitFor();
  const option = (text: string | RegExp) => list.getByRole('option').filter({ hasText: text });
  const heading = () => visit.page.locator('.packet h3').innerText();

  it('appear after a press on "Show packets", and then live', async () => {
    expect(await list.count()).to.equal(0);
    await visit.press('Show packets');
    await option('ATT Write Request').first().waitFor();
    await roll('5');
    await option(/Handle Value Notification.*, 52$/)
      .first()
      .waitFor();
  });

  it('are listed with their time, link, device and direction', async () => {
    const row = await option('ATT Write Request').first().innerText();
    expect(row.split(/\n+/)).to.have.lengthOf(6);
    expect(row).to.match(/\n\d\d:\d\d:\d\d\.\d{3}\nhci\d 0x0040\n00:01 GoDice_000001_R_v04\n→ sent\n/);
  });

  it('are found by protocol and by text', async () => {
    await choose('Protocol', 'ATT');
    // A roll begins (`R`) and ends (`S`): docs/godice-protocol.md §4.
    await find('0e 00 52');
    await seesCount(/^1 of \d+ packets$/);
    expect(await list.getByRole('option').count()).to.equal(1);
    expect(await list.getByRole('option').innerText()).to.include('ATT Handle Value Notification');
  });

  it('are of the hosts’ adapters at first, and of devices by choice', async () => {
    await choose('Seen by', 'hosts and devices');
    await seesCount(/^2 of \d+ packets$/);
    await choose('Seen by', DIE);
    await seesCount(/^1 of \d+ packets$/);
    await choose('Device', '00:01 Qingping Alarm Clock');
    await visit.sees('No packet matches the filters.');
    await choose('Device', 'all');
    await choose('Seen by', 'hosts');
  });

  it('wait during a pause', async () => {
    await visit.press('Pause');
    await roll('3');
    await seesCount(/^1 of \d+ packets$/);
    await visit.press('Resume');
    await seesCount(/^2 of \d+ packets$/);
  });

  it('show their fields and bytes, chosen by the keyboard', async () => {
    await list.press('End');
    const last = await heading();
    await list.press('ArrowUp');
    const first = await heading();
    expect(first).to.match(/^\d+\. ATT Handle Value Notification, handle 0x000E \(6E400003…\), 52$/);
    expect(Number.parseInt(first, 10)).to.be.below(Number.parseInt(last, 10));
    await visit.sees('02 40 20 08 00 04 00 04 00 1B 0E 00 52');
    expect(await list.getByRole('option', { selected: true }).count()).to.equal(1);
  });

  it('are well made, on a phone too', async () => {
    await find('');
    await choose('Protocol', 'all');
    await visit.expectWellMade('air-packets');
  });

  it('are cleared', async () => {
    await visit.press('Pause');
    await visit.press('Clear');
    await visit.sees('No packet yet');
    await visit.press('Hide packets');
    visit.excuse(/404/);
    visit.expectNoProblem();
  });
});
