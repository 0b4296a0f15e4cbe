/** The page of clocks in a real browser, with a real server and a simulated radio. */
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { texts as own } from '../../src/page/clocks/texts.js';
import { texts as shared } from '../../src/page/common/texts.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { sine, wav } from '../../features/support/wav.js';
import { type Control } from '../../simulators/testing/index.js';
import { CLOCK_NAME } from '../../src/protocols/cgd1/index.js';
import { RECORD_SOUNDS, RECORD_PROGRESS, RECORD_LABELS, SLIDE } from './clock-scripts.js';
import { stage, openAir } from './stage.js';
import { Visit } from './visit.js';

const texts = { ...own, ...shared };

const TOKEN = 'token-of-the-clocks-test';
const CLOCK = '58:2D:34:00:00:01';
const BOUND = '58:2D:34:00:00:02';

/** A WAV with an odd chunk, which Chromium cannot read. */
const ODD_WAV = wav({ rate: 8_000, bits: 16 }, sine(8_000, 0.5));
const WAV = Buffer.concat([ODD_WAV.subarray(0, 12), ODD_WAV.subarray(24)]);

const fullName = (address: string): string => `${CLOCK_NAME} ${address}`;

describe('The page of clocks', () => {
  let hci: string;
  let server: Program;
  let control: Control;
  let clocks: string;
  let visit: Visit;
  let broker: EmbeddedBroker;
  const folder = newFolder();
  const keep = keeper(after);

  const serve = async (port: number): Promise<void> => {
    const mqtt = `mqtt://127.0.0.1:${broker.port}`;
    const flags = ['--data-dir', folder, '--answer-timeout', '1', '--mqtt', mqtt, '--home-assistant'];
    server = Program.airbench(
      ['clock', '--address', '127.0.0.1', '--port', String(port), '--hci', hci, ...flags],
      { env: { AIRBENCH_TOKEN: TOKEN } },
    );
    clocks = await server.url('clock server');
  };

  const measure = (temperature: number, humidity: number) =>
    control.act(CLOCK, { type: 'sensors', temperature, humidity });

  const model = async (): Promise<unknown> => control.device(CLOCK);

  const open = (summary: string): Promise<void> =>
    visit.page.locator('summary', { hasText: summary }).click();

  const button = (name: string, within: Locator = visit.page.locator('body')): Locator =>
    within.getByRole('button', { name, exact: true });

  const gone = (element: Locator): Promise<void> => element.waitFor({ state: 'detached' });

  const find = (address: string): Locator => visit.page.locator('.found li', { hasText: address });

  const expectFocus = async (): Promise<void> => {
    expect(await visit.page.evaluate<string>('document.activeElement.tagName')).to.not.equal('BODY');
  };

  const choose = async (name: string, buffer: Buffer): Promise<void> => {
    await visit.page.getByLabel(texts.chooseTone).setInputFiles({ name, mimeType: 'audio/wav', buffer });
  };

  stage(async (browser) => {
    ({ hci, control } = await openAir({ dice: 0, clocks: 1 }));
    await control.add({ kind: 'clock', address: BOUND, token: 'ff'.repeat(16) });
    broker = keep(await startAedes());
    await serve(0);
    visit = await Visit.at(browser, clocks, { timezoneId: 'Asia/Kolkata' });
  });

  it('asks for a token if the server requires one, and continues with the right token', async () => {
    await visit.sees(texts.connection.token);
    await visit.expectWellMade('clocks-token');
    await visit.useToken(TOKEN);
    await expectFocus();
  });

  it('looks for clocks by itself, and connects one', async () => {
    await visit.page.getByRole('progressbar', { name: texts.scanning }).waitFor();
    await find(CLOCK).waitFor();
    expect(await find(CLOCK).innerText()).to.include('21.5 °C, humidity 45 %, battery 100 %');
    await visit.expectWellMade('clocks-found');
    await button(`${texts.connect} ${fullName(CLOCK)}`).click();
    await button(`${texts.disconnect} ${fullName(CLOCK)}`).waitFor();
    await expectFocus();
    expect(await model()).to.include({ connected: true, authenticated: true });
  });

  it('says that a disconnect removes a clock from Home Assistant', () =>
    visit.sees(texts.leavesHomeAssistant));

  it('explains the steps for a clock that is bound to another token', async () => {
    await button(`${texts.connect} ${fullName(BOUND)}`).click();
    await visit.sees(texts.refusedTitle);
    await visit.sees(texts.refused[0]);
    await open(texts.settings);
    await open(texts.tone);
    await visit.sees(texts.noAlarms);
    await visit.sees(texts.unchanged);
    await visit.expectWellMade('clocks-refused');
  });

  it('gives up an attempt to connect a clock out of range', async () => {
    await control.place(BOUND, { in_range: false });
    const found = find(BOUND);
    const giveUp = button(`${texts.giveUp} ${fullName(BOUND)}`);
    await button(`${texts.connect} ${fullName(BOUND)}`).click();
    await giveUp.click();
    await gone(giveUp);
    expect(await found.getByRole('alert').count()).to.equal(0);
    await control.place(BOUND, { in_range: true });
  });

  it('claims nothing about a clock before the clock has answered', async () => {
    const { page } = visit;
    const held: (() => void)[] = [];
    let holds = true;
    await page.routeWebSocket(/\/ws\?/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const pass = (): void => server.send(message);
        if (String(message).includes('"read_') && holds) held.push(pass);
        else pass();
      });
    });
    await page.route(/\/history\?/, (route) => {
      held.push(() => void route.continue());
    });
    await page.reload();
    await visit.sees(texts.reading);
    await visit.sees(texts.readingCurves);
    expect(await page.locator('.lcd').innerText()).to.not.contain(texts.noNextAlarm);
    expect(await page.locator('.slider').count()).to.equal(0);
    await visit.expectWellMade('clocks-loading');
    holds = false;
    for (const pass of held) pass();
    await visit.sees(texts.noNextAlarm);
    expect(await page.locator('.slider output').innerText()).to.equal(texts.ofMost(100, 150));
    await page.unrouteAll();
  });

  it('names a clock in place', async () => {
    await button(fullName(CLOCK)).click();
    const field = visit.page.getByLabel(texts.labelOf(CLOCK_NAME));
    await field.fill('Kitchen');
    await visit.expectWellMade('clocks-name');
    await field.press('Enter');
    await visit.page.getByRole('heading', { name: 'Kitchen' }).waitFor();
    await expectFocus();
  });

  it('shows the readings of the clock, and their curves, also after a reload', async () => {
    await measure(23.4, 51);
    await visit.sees('23.4 °C');
    expect(await visit.page.locator('.lcd').innerText()).to.include('51 %');
    await measure(21, 40);
    await visit.sees(/^Temperature 21\.0 °C to 23\.4 °C since \d\d:\d\d$/);
    await visit.sees(/^Humidity 40 % to 51 % since \d\d:\d\d$/);
    await visit.press(`${texts.spans.week} Kitchen`);
    await visit.sees(texts.noCurves);
    await visit.page.reload();
    await visit.page.getByRole('heading', { name: 'Kitchen' }).waitFor();
    await visit.sees(/^Temperature 21\.0 °C to 23\.4 °C since \d\d:\d\d$/);
    await open(texts.settings);
    await open(texts.tone);
  });

  it('sets, changes and deletes alarms in a week, by keyboard', async () => {
    const { page } = visit;
    const dialog = page.locator('dialog.alarm');
    const marks = page.locator('.week .mark');
    const hour = dialog.getByLabel(texts.hourOf(texts.time));
    const minute = dialog.getByLabel(texts.minuteOf(texts.time));
    await button(`${texts.addAlarm} Kitchen`).press('Enter');
    await dialog.getByRole('heading', { name: texts.newAlarm(1) }).waitFor();
    expect(await hour.locator('option').allInnerTexts()).to.include.members(['00', '07', '23']);
    await hour.selectOption('06');
    await minute.selectOption('45');
    await button(`${texts.shortDay(5)}, ${texts.day(5)}`).press('Space');
    await visit.expectWellMade('clocks-alarm');
    await button(texts.save).press('Enter');
    await gone(dialog);
    const alarm = { slot: 0, time: '06:45', repeat_mask: 0b0111111, enabled: true, snooze: true };
    expect(await model()).to.deep.include({ alarms: [alarm] });
    expect(await marks.count()).to.equal(6);
    expect(await page.evaluate<string>('document.activeElement.textContent')).to.equal(texts.addAlarm);

    await button('06:45 Kitchen').press('Enter');
    for (const day of [0, 1, 2, 3, 4, 5])
      await button(`${texts.shortDay(day)}, ${texts.day(day)}`).press('Space');
    await visit.sees(texts.ringsOnce);
    expect(await Promise.all([hour, minute].map((part) => part.inputValue()))).to.deep.equal(['06', '45']);
    await button(texts.save).press('Enter');
    await gone(dialog);
    expect(await model()).to.deep.include({ alarms: [{ ...alarm, repeat_mask: 0 }] });
    expect(await page.locator('.week .mark.once').count()).to.equal(1);

    // The alarm rings within a day, first for the clock and then for the page.
    await control.act(CLOCK, { type: 'advance', secs: 86_400 });
    expect(await page.locator('.week .quiet').count()).to.equal(0);
    await page.evaluate('window.time = Date.now; Date.now = () => window.time() + 90_000_000');
    await page.locator('.week .quiet').waitFor();
    await page.evaluate('Date.now = window.time');

    await button('06:45 Kitchen').press('Enter');
    await dialog.press('Escape');
    await gone(dialog);
    await button('06:45 Kitchen').press('Enter');
    await button(texts.remove).press('Enter');
    await visit.sees(texts.noAlarms);
    await gone(dialog);
    await expectFocus();
    expect(await model()).to.deep.include({ alarms: [] });
  });

  it('lists changed settings before it writes them, and shows readings in the new unit', async () => {
    await visit.page.getByLabel(texts.setting.volume.label).fill('5');
    await visit.page.getByLabel(texts.setting.temperature_unit.label).selectOption('F');
    expect(await visit.page.locator('.changes li').allInnerTexts()).to.deep.equal([
      'Volume: 3 becomes 5',
      'Temperature unit: °C becomes °F',
    ]);
    await button(`${texts.write(2)} Kitchen`).press('Enter');
    await visit.sees(texts.unchanged);
    await expectFocus();
    expect(await model()).to.deep.nested.include({ 'settings.volume': 5, 'settings.temperature_unit': 'F' });
    await visit.sees(/^Temperature 69\.8 °F to 74\.1 °F since \d\d:\d\d$/);
  });

  it('is used by keyboard alone, in the order on the screen', () => visit.expectKeyboardWalk());

  it('gives a clock a time zone by its name', async () => {
    const zone = visit.page.getByRole('combobox', { name: texts.setting.timezone.label });
    expect(await zone.locator('optgroup').first().innerText()).to.equal('Asia/Kolkata');
    await zone.selectOption('Asia/Tokyo');
    await button(`${texts.write(1)} Kitchen`).click();
    await visit.sees(texts.unchanged);
    expect(await model()).to.have.nested.property('settings.timezone_offset_minutes', 540);
    await visit.sees(texts.ahead('3 h 30 min', texts.thisZone));
    await zone.selectOption(texts.noZone);
    await button(`${texts.write(1)} Kitchen`).click();
    await visit.sees(texts.unchanged);
  });

  it('accepts a typed setting, and shows how the zone differs from that of the browser', async () => {
    const { label, unit } = texts.setting.timezone_offset_minutes;
    const field = visit.page.getByLabel(`${label} (${unit})`);
    await field.selectText();
    await field.pressSequentially('-120');
    await button(`${texts.write(1)} Kitchen`).click();
    await visit.sees(texts.unchanged);
    expect(await model()).to.have.nested.property('settings.timezone_offset_minutes', -120);
    await visit.sees(texts.behind('7 h 30 min', texts.thisZone));
  });

  it('sets times by the hours of a clock with AM and PM', async () => {
    const { page } = visit;
    const { label } = texts.setting.night_start;
    await page.getByLabel(texts.setting.time_format.label).selectOption('12h');
    await button(`${texts.write(1)} Kitchen`).click();
    await page.getByLabel(texts.halfOf(label)).selectOption('AM');
    await page.getByLabel(texts.hourOf(label)).selectOption('12');
    await page.getByLabel(texts.minuteOf(label)).selectOption('05');
    expect(await page.locator('.changes').innerText()).to.equal(
      `${label}: 10:00 PM ${texts.becomes} 12:05 AM`,
    );
    await visit.expectWellMade('clocks-12-hours');
    await button(`${texts.write(1)} Kitchen`).click();
    await visit.sees(texts.unchanged);
    expect(await model()).to.deep.nested.include({ 'settings.night_start': '00:05' });
    await page.getByLabel(texts.setting.time_format.label).selectOption('24h');
    await button(`${texts.write(1)} Kitchen`).click();
    await visit.sees(texts.unchanged);
  });

  it('sends the brightness while the slider moves, and its final value last', async () => {
    await visit.page.evaluate(SLIDE);
    await visit.page.locator('.slider[aria-busy=false]').waitFor();
    expect(await visit.page.locator('.slider output').innerText()).to.equal(texts.ofMost(150, 150));
    expect(await model()).to.have.nested.property('brightness_now', 150);
    expect(await visit.page.evaluate<number>('sent')).to.equal(2);
  });

  it('plays a sound like the clock, and uploads it', async () => {
    await visit.page.evaluate(RECORD_SOUNDS);
    await choose('tone.wav', WAV);
    await visit.sees(texts.secs(0.5));
    await visit.page.evaluate(RECORD_LABELS);
    await visit.press(`${texts.listen} Kitchen`);
    expect(await visit.page.evaluate('labels')).to.deep.equal([texts.listen, texts.stop, texts.listen]);
    expect(await visit.page.evaluate<unknown>('played')).to.deep.equal([
      { sampleRate: 8_000, duration: 0.5, numberOfChannels: 1, steps: true, loud: true },
    ]);
    await visit.page.evaluate(RECORD_PROGRESS);
    await visit.press(`${texts.upload} Kitchen`);
    await visit.sees(texts.uploaded);
    const progress = await visit.page.evaluate<readonly number[]>('progress');
    expect(progress).to.deep.equal([...progress].sort((a, b) => a - b));
    expect(progress.filter((percent) => percent > 0 && percent < 100)).to.have.lengthOf.at.least(1);
    expect(await model()).to.include({ ringtone: 'deaddead' });
  });

  it('uploads a WAV that the browser cannot read, and refuses a file without a sound', async () => {
    await choose('long.wav', wav({ rate: 8_000, bits: 8 }, sine(8_000, 13)));
    await visit.sees(/can convert a WAV of at most 12\.3 s/);
    await visit.press(`${texts.upload} Kitchen`);
    await visit.sees('the tone must last at most 12.288 s, got 13.0 s');
    await choose('odd.wav', ODD_WAV);
    await visit.press(`${texts.upload} Kitchen`);
    await visit.sees(texts.uploaded);
    await choose('long.wav', wav({ rate: 4_000, bits: 8 }, sine(4_000, 13)).fill(' ', 12, 20));
    await choose('text.wav', Buffer.from('no sound'));
    await visit.sees(/^This file is not a sound/);
  });

  it('shows that a clock is out of range and back, with a gap in its curves', async () => {
    await control.place(CLOCK, { in_range: false });
    await visit.sees(texts.away);
    await visit.expectWellMade('clocks-away');
    await control.place(CLOCK, { in_range: true });
    await gone(visit.page.getByText(texts.away));
    await measure(20, 47);
    await visit.sees(/^Humidity 40 % to 51 % since .*, with a gap$/);
    visit.expectNoProblem();
  });

  it('names the radio, and says that the adapter is off', async () => {
    await visit.sees(texts.radio(hci, texts.radioUp));
    await control.post('/adapters/hci0', { powered: false });
    await visit.sees(/Clocks cannot be reached: no radio can be used/);
    await visit.sees(new RegExp(`^Radio ${hci}: nothing answers at ${hci}: start it`));
    await visit.expectWellMade('clocks-adapter-off');
    await control.post('/adapters/hci0', { powered: true });
    await gone(visit.page.getByText(/no radio can be used/));
  });

  it('shows that the server is gone, reconnects, connects the clock again, and forgets it', async () => {
    await visit.losesServer('clocks', server, serve);
    await visit.sees(texts.connection.open);
    // The new server does not know the clock yet.
    visit.excuse(/WebSocket|ERR_(?:CONNECTION|SOCKET)|404|503/);
    await button(`${texts.connect} Kitchen`).click();
    await gone(visit.page.getByText(texts.away));
    await button(`${texts.disconnect} Kitchen`).click();
    await gone(visit.page.locator('article'));
    await expectFocus();
    const resting = visit.page.getByRole('region', { name: texts.restingTitle });
    await resting.getByText('Kitchen').waitFor();
    await visit.expectWellMade('clocks-resting');
    await button(texts.forgetOf('Kitchen'), resting).click();
    await button(texts.forget, visit.page.getByRole('dialog')).click();
    await gone(resting);
    visit.expectNoProblem();
  });
});
