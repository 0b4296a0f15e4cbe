/** The page of dice in a real browser, with a real server and a simulated radio. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { texts as own } from '../../src/page/dice/texts.js';
import { texts as shared } from '../../src/page/common/texts.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { type Control } from '../../simulators/testing/index.js';
import { newFolder } from '../support/folders.js';
import { stage, openAir } from './stage.js';
import { Visit } from './visit.js';

const texts = { ...own, ...shared };

const TOKEN = 'token-of-the-table-test';
const DIE = 'D1:CE:00:00:00:01';
const NAME = 'GoDice_000001_R_v04';
const AWAY = /^Out of range since .* The server looks for it until /;

describe('The page of dice', () => {
  let hci: string;
  let server: Program;
  let control: Control;
  let dice: string;
  let visit: Visit;
  const folder = newFolder();

  const serve = async (port: number): Promise<void> => {
    server = Program.airbench(
      [
        ...['dice', '--address', '127.0.0.1', '--port', String(port), '--hci', hci],
        ...['--scan-secs', '0.5', '--data-dir', folder],
      ],
      { env: { AIRBENCH_TOKEN: TOKEN } },
    );
    dice = await server.url('dice server');
  };

  const act = (action: object) => control.act(DIE, action);
  const roll = (face: number) => act({ type: 'roll', die: 'd20', face, roll_ms: 0 });

  /** Connects the discovered die with the shell of a d20. */
  const connectDie = async (): Promise<void> => {
    await visit.page.getByLabel(texts.shell).selectOption('d20');
    await visit.press(`${texts.connect} ${NAME}`);
    await visit.page.locator('.card').waitFor();
  };

  const openSettings = () => visit.press(texts.settingsOf(NAME));

  stage(async (browser) => {
    ({ hci, control } = await openAir({ dice: 1, clocks: 0 }));
    await serve(0);
    visit = await Visit.at(browser, dice);
  });

  it('asks for a token if the server requires one, refuses a wrong token, and continues with the right one', async () => {
    await visit.sees(texts.connection.token);
    await visit.expectWellMade('dice-token');
    await visit.page.getByLabel(texts.tokenLabel).fill('another-token-altogether');
    await visit.press(texts.tokenUse);
    await visit.sees(texts.tokenRefused);
    await visit.useToken(TOKEN);
  });

  it('looks for dice by itself, and connects one with its shell', async () => {
    await visit.page.getByRole('progressbar', { name: texts.scanning }).waitFor();
    await visit.sees(DIE);
    await visit.expectWellMade('dice-found');
    await connectDie();
    await visit.sees(texts.noRolls);
    expect(await visit.page.locator('.die .type').innerText()).to.equal('d20');
  });

  it('shows rolls on the die, in the line of rolls and in the histogram', async () => {
    await roll(17);
    await visit.seesAll('.rolls li', 1);
    await roll(3);
    await visit.seesAll('.rolls li', 2);
    expect(await visit.faces()).to.deep.equal(['3', '17']);
    expect(await visit.page.locator('.shape').getAttribute('aria-label')).to.equal('3');
    await visit.sees(texts.announce(NAME, '3'));
    await visit.sees(/^2 rolls/);
    await visit.expectWellMade('dice-rolled');
  });

  it('says that LEDs and taps are not set yet, and lights the LEDs', async () => {
    await openSettings();
    const unset = visit.page.locator('legend', { hasText: texts.notSet });
    expect(await unset.allInnerTexts()).to.deep.equal(
      [texts.leds, texts.tapsTitle].map((title) => `${title} ${texts.notSet}`),
    );
    await visit.page.getByLabel(texts.led1).fill('#00ff80');
    await unset.nth(1).waitFor({ state: 'detached' });
    const body = await control.device(DIE);
    expect(body).to.have.property('leds').that.deep.equals(['00FF80', '00FF80']);
  });

  it('shows taps once they are switched on', async () => {
    const answered = visit.page.waitForResponse((response) => response.url().endsWith('/api/taps'));
    await visit.page.getByLabel(`${texts.tapsOf.double} ${NAME}`, { exact: true }).check();
    await answered;
    await act({ type: 'double_tap' });
    await visit.page.locator('.tap', { hasText: texts.taps.DoubleTap }).waitFor({ state: 'attached' });
  });

  it('is used by keyboard alone, in the order on the screen', () => visit.expectKeyboardWalk());

  it('saves the rolls as CSV', async () => {
    const [download] = await Promise.all([visit.page.waitForEvent('download'), visit.press(texts.save.csv)]);
    expect(download.suggestedFilename()).to.equal('rolls.csv');
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines[0]).to.equal('id,time,address,dice_type,face,ended,session_id');
    expect(lines.slice(1).map((line) => line.split(',').slice(2, 5).join())).to.deep.equal([
      ...[3, 17].map((face) => `${DIE},d20,${face}`),
      '',
    ]);
  });

  it('calibrates step by step', async () => {
    await visit.press(texts.calibrateTitle(NAME));
    await visit.expectWellMade('dice-calibrate');
    await visit.press(texts.calibrateNow);
    await visit.sees(texts.calibrated('3'));
    await visit.expectWellMade('dice-calibrated');
    await visit.press(texts.done);
    await visit.page.locator('dialog[open]').waitFor({ state: 'detached' });
  });

  it('keeps the rolls, the LEDs and the taps after a reload', async () => {
    const before = await visit.faces();
    await visit.page.reload();
    await visit.seesAll('.rolls li', before.length);
    expect(await visit.faces()).to.deep.equal(before);
    await openSettings();
    expect(await visit.page.getByLabel(texts.led1).inputValue()).to.equal('#00ff80');
    expect(
      await visit.page.getByLabel(`${texts.tapsOf.double} ${NAME}`, { exact: true }).isChecked(),
    ).to.equal(true);
  });

  it('shows that a die is out of range, and that it is back', async () => {
    await control.place(DIE, { in_range: false });
    await visit.sees(AWAY);
    await visit.expectWellMade('dice-away');
    await control.place(DIE, { in_range: true });
    await visit.page.getByText(AWAY).waitFor({ state: 'detached' });
    visit.expectNoProblem();
  });

  it('shows that the server is gone, reconnects, and neither loses nor doubles a roll', async () => {
    const before = await visit.faces();
    await visit.losesServer('dice', server, serve);
    await visit.sees(texts.connection.open);
    visit.excuse(/WebSocket|ERR_(?:CONNECTION|SOCKET)|503/);
    await visit.sees(texts.empty);
    await visit.expectWellMade('dice-empty');
    await visit.page.getByRole('button', { name: `${texts.connect} ${NAME}` }).click();
    await visit.page.locator('.die:not(.quiet)').waitFor();
    await roll(11);
    await visit.seesAll('.rolls li', before.length + 1);
    expect(await visit.faces()).to.deep.equal(['11', ...before]);
    visit.expectNoProblem();
  });

  it('connects a die in its last shell, also without a memory of its own', async () => {
    await openSettings();
    // The server announces nothing to Home Assistant.
    expect(await visit.page.getByText(texts.leavesHomeAssistant).count()).to.equal(0);
    await visit.press(`${texts.disconnect} ${NAME}`);
    await visit.page.locator('.quiet').waitFor();
    await visit.page.evaluate('localStorage.clear()');
    await visit.page.reload();
    await visit.press(`${texts.connect} ${NAME}`);
    await visit.page.locator('.die:not(.quiet) .type', { hasText: 'd20' }).waitFor();
    visit.expectNoProblem();
  });
});
