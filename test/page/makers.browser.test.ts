/** Dice of two makers on one page. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { DIE_COLOURS } from '../../src/protocols/dice-values.js';
import { texts as own } from '../../src/page/dice/texts.js';
import { texts as shared } from '../../src/page/common/texts.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { type Control } from '../../simulators/testing/index.js';
import { newFolder } from '../support/folders.js';
import { openAir, stage } from './stage.js';
import { Visit } from './visit.js';

const texts = { ...own, ...shared };

const GODICE = 'D1:CE:00:00:00:01';
/** A d20, and then a fudge die. */
const PIXEL = 'F1:CE:00:00:00:01';
const FUDGE = 'F1:CE:00:00:00:02';
/** A d12 whose custom colour hides its type until it is connected. */
const CUSTOM = 'F1:CE:00:00:00:03';

/** WCAG 2.2, success criterion 1.4.3, of small text. */
const LEAST_CONTRAST = 4.5;

/** In the browser: the WCAG 2 contrast of digits with both tones of a shell, over the ground of cards. */
const contrastsOf = `(colour) => {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminanceOf = (...layers) => {
    for (const layer of layers) {
      pen.fillStyle = layer;
      pen.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data]
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const die = document.querySelector('.card').appendChild(document.createElement('i'));
  die.className = 'shell ' + colour;
  const valueOf = (value) => {
    die.style.color = value;
    return getComputedStyle(die).color;
  };
  const digit = luminanceOf(valueOf('var(--digit)'));
  const contrasts = ['var(--shell)', 'var(--shine, var(--shell))'].map((tone) => {
    const ground = luminanceOf(valueOf('var(--surface)'), valueOf(tone));
    return (Math.max(digit, ground) + 0.05) / (Math.min(digit, ground) + 0.05);
  });
  die.remove();
  return contrasts;
}`;

describe('The page of dice with dice of two makers', () => {
  let control: Control;
  let visit: Visit;

  const roll = (address: string, action: object) =>
    control.act(address, { type: 'roll', roll_ms: 0, ...action });

  const cardOf = (address: string): Locator =>
    visit.page.locator('.card').filter({ has: visit.page.locator(`[id="name-${address}"]`) });

  const rowOf = (address: string): Locator =>
    visit.page.locator('.found li').filter({ has: visit.page.getByText(address) });

  const ledsOf = async (address: string): Promise<unknown> => (await control.device(address))['leds'];

  stage(async (browser) => {
    const air = await openAir({ dice: 1, clocks: 0 });
    ({ control } = air);
    for (const die of [
      { address: PIXEL, die: 'd20', face: 17, color: 'midnight_galaxy', battery_level: 62 },
      { address: FUDGE, die: 'fudge', face: -1, color: 'aurora_sky' },
      { address: CUSTOM, die: 'd12', color: 'custom' },
    ])
      await control.add({ kind: 'pixels', ...die });
    visit = await Visit.at(
      browser,
      await Program.server('dice', air.hci, ['--data-dir', newFolder()]).url('dice server'),
    );
  });

  it('lists the advertised details of each discovered die, and offers shells for dice without a type', async () => {
    await rowOf(PIXEL).getByText('Pixels, midnight galaxy, battery 62 %, 17 is up').waitFor();
    await rowOf(FUDGE).getByText('Pixels, aurora sky, battery 100 %, − is up').waitFor();
    await rowOf(GODICE).getByText('GoDice, red', { exact: true }).waitFor();
    await rowOf(CUSTOM).getByText('Pixels, custom, battery 100 %', { exact: true }).waitFor();
    expect(await visit.page.getByLabel(texts.shell).count()).to.equal(2);
    for (const address of [GODICE, CUSTOM])
      expect(await rowOf(address).getByLabel(texts.shell).inputValue()).to.equal('d6');
    await visit.expectWellMade('makers-found');
  });

  it('shows the type of a die after a request for another type', async () => {
    await rowOf(CUSTOM).getByLabel(texts.shell).selectOption('d20');
    await rowOf(CUSTOM).getByRole('button', { name: texts.connect }).click();
    await rowOf(CUSTOM).getByRole('alert').filter({ hasText: 'd12' }).waitFor();
    visit.excuse(/400/);
    await rowOf(CUSTOM).getByLabel(texts.shell).selectOption('d12');
    await rowOf(CUSTOM).getByRole('button', { name: texts.connect }).click();
    await cardOf(CUSTOM).waitFor();
  });

  it('connects each die with its own type', async () => {
    await visit.press(texts.connectAll);
    for (const [address, type] of [
      [GODICE, 'd6'],
      [PIXEL, 'd20'],
      [FUDGE, 'fudge'],
      [CUSTOM, 'd12'],
    ] as const)
      await cardOf(address).locator('.type', { hasText: type }).waitFor();
  });

  it('offers only the actions that a die supports', async () => {
    const { pulse, ledsOff, calibrate, readBattery, disconnect, forget } = texts;
    const ofGoDice = [pulse, ledsOff, calibrate, readBattery, disconnect, forget];
    for (const [address, buttons, leds] of [
      [GODICE, ofGoDice, [texts.led1, texts.led2]],
      [PIXEL, [pulse, ledsOff, readBattery, disconnect, forget], [texts.ledColour]],
    ] as const) {
      const card = cardOf(address);
      await card.getByTitle(texts.settings, { exact: true }).click();
      expect(await card.locator('.settings').getByRole('button').allInnerTexts()).to.deep.equal(buttons);
      expect(await card.locator('[type=color]').count()).to.equal(leds.length);
      for (const label of leds) expect(await card.getByLabel(label).count(), label).to.equal(1);
    }
  });

  it('lights all LEDs of a Pixels die at once', async () => {
    const card = cardOf(PIXEL);
    await card.getByLabel(texts.ledColour).fill('#00ff80');
    await card.locator('.glow.all').waitFor();
    expect(await ledsOf(PIXEL)).to.deep.equal(Array.from({ length: 20 }, () => '00FF80'));
    await card.getByRole('button', { name: texts.ledsOff }).click();
    await card.locator('.glow').waitFor({ state: 'detached' });
  });

  it('has a low battery from the level at which its maker says so', async () => {
    const battery = cardOf(PIXEL).locator('footer .battery');
    await control.act(PIXEL, { type: 'battery', level: 10 });
    await battery.filter({ hasText: texts.level(10) }).waitFor();
    expect(await battery.innerText()).to.not.contain(texts.low);
    await control.act(PIXEL, { type: 'battery', level: 9 });
    await battery.filter({ hasText: `${texts.level(9)}, ${texts.low}` }).waitFor();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`writes readable digits on each shell, ${colorScheme}`, async () => {
      await visit.page.emulateMedia({ colorScheme });
      for (const colour of ['plain', ...DIE_COLOURS]) {
        const contrasts = await visit.page.evaluate<readonly number[]>(`(${contrastsOf})('${colour}')`);
        expect(Math.min(...contrasts), colour).to.be.at.least(LEAST_CONTRAST);
      }
    });
  }

  it('adds dice of both makers, with the signs of a fudge die', async () => {
    await visit.page.getByLabel(texts.expression, { exact: true }).fill('d6 + d20 + dF');
    await visit.press(texts.sumNow);
    await roll(GODICE, { die: 'd6', face: 4 });
    await visit.seesAll('.rolls li', 1);
    await roll(PIXEL, { face: 15 });
    await visit.seesAll('.rolls li', 2);
    await visit.sees(texts.stillToRoll([{ type: 'fudge', count: 1 }]));
    await roll(FUDGE, { face: -1 });
    await visit.sees(texts.summed);
    await visit.seesAll('.rolls li', 3);
    expect(await visit.faces()).to.deep.equal(['−', '15', '4']);
    expect(await visit.page.locator('.total').innerText()).to.equal('18');
    const ofFudge = visit.page.getByRole('figure', { name: 'Pixel00000002' });
    await ofFudge.waitFor();
    expect(await ofFudge.locator('li').allInnerTexts()).to.deep.equal(['−', '0', '+']);
    await visit.expectWellMade('makers-rolled');
    visit.expectNoProblem();
  });
});
