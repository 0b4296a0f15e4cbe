/** Twenty dice of two makers at once, and many rolls: frames and tasks go to reports/page, and memory has a limit. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CDPSession } from 'playwright-core';
import { hexByte } from '../../src/bytes/index.js';
import { DICE_TYPES, type DiceType } from '../../src/protocols/dice-values.js';
import { texts } from '../../src/page/dice/texts.js';
import { listenTo, portOf, post } from '../support/client.js';
import { type Listener } from '../../simulators/testing/internal/listener.js';
import { framesOf, keptBy } from './frames.js';
import { world, type Control } from '../../simulators/testing/index.js';
import { stage } from './stage.js';
import { README_PICTURE, REPORT, Visit } from './visit.js';

const COUNT = 20;

const typeOf = (index: number): DiceType => DICE_TYPES[index % DICE_TYPES.length] ?? 'd6';

/** The dice of each maker have all types in turn, with different first types. */
const GODICE = Array.from({ length: COUNT / 2 }, (_, index) => ({
  address: `D1:CE:00:00:00:${hexByte(index + 1)}`,
  dice_type: typeOf(index),
}));
/** Pixels dice, whose colours follow from their addresses. */
const PIXELS = Array.from({ length: COUNT / 2 }, (_, index) => ({
  address: `F1:CE:00:00:00:${hexByte(index + 3)}`,
  die: typeOf(index + 1),
}));

/** The colours of the LEDs of some dice, by the labels of their inputs. */
const COLOURS = [
  { address: GODICE[1]?.address ?? '', colours: { [texts.led1]: '#ffb400', [texts.led2]: '#ff5000' } },
  { address: PIXELS[0]?.address ?? '', colours: { [texts.ledColour]: '#00c8ff' } },
  { address: PIXELS[1]?.address ?? '', colours: { [texts.ledColour]: '#ff40c0' } },
  { address: GODICE[0]?.address ?? '', colours: { [texts.led1]: '#000000', [texts.led2]: '#000000' } },
];

const ROUNDS = 100;

const FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime";

describe('Twenty dice of two makers', () => {
  let control: Control;
  let visit: Visit;
  let session: CDPSession;
  let events: Listener;

  /** Rolls all dice; resolves once all have landed. */
  const rollAll = async (roll_ms: number): Promise<void> => {
    const rolls = [
      ...GODICE.map(({ address, dice_type: die }) => ({ address, action: { die } })),
      ...PIXELS.map(({ address }) => ({ address, action: {} })),
    ];
    await Promise.all(
      rolls.map(({ address, action }) => control.act(address, { type: 'roll', roll_ms, ...action })),
    );
    const messages = await events.take(2 * COUNT);
    expect(messages.filter((event) => JSON.stringify(event).includes('"Stable"'))).to.have.length(COUNT);
  };

  /** Resolves once the page shows `count` rolls of each die. */
  const seesRolls = (count: number) => visit.seesAll(`text=${texts.rolled(count)}`, COUNT);

  stage(async (browser) => {
    const rig = await world({ dice: GODICE.length, flags: { 'max-links': COUNT, 'rate-limit': 0 } });
    const { url } = rig.dice;
    ({ control } = rig);
    for (const die of PIXELS) await control.add({ kind: 'pixels', ...die });
    for (const [index, die] of GODICE.entries())
      for (const request of [die, { address: PIXELS[index]?.address }])
        expect((await post(portOf(url), '/api/connect', request)).status).to.equal(200);
    events = await listenTo(portOf(url), '/ws');
    visit = await Visit.at(browser, url, { reducedMotion: 'no-preference' });
    session = await visit.page.context().newCDPSession(visit.page);
    await visit.seesAll('.card', COUNT);
  });

  it('roll at once and all land, each frame and task recorded', async () => {
    const first_paint_ms = await visit.page.evaluate<number>(FIRST_PAINT);
    // This takes a second and a half at the fast pace.
    const rolling = await framesOf(session, () => rollAll(15_000));
    await seesRolls(1);
    expect(rolling.frames).to.be.greaterThan(0);
    expect(first_paint_ms).to.be.greaterThan(0);
    mkdirSync(REPORT, { recursive: true });
    const figures = { dice: COUNT, first_paint_ms: Math.round(first_paint_ms), ...rolling };
    writeFileSync(`${REPORT}/figures.json`, `${JSON.stringify(figures, null, 2)}\n`);
  });

  it('need hardly more memory after 2,000 rolls than after 400', async () => {
    for (let round = 1; round < 20; round++) await rollAll(0);
    await seesRolls(20);
    const early = await keptBy(session);
    for (let round = 20; round < ROUNDS; round++) await rollAll(0);
    await seesRolls(ROUNDS);
    const late = await keptBy(session);
    // The line keeps 5,000 rolls; 1,600 rolls are about half a MiB.
    expect(late.heap - early.heap, 'bytes').to.be.lessThan(3 * 2 ** 20);
    expect(late.nodes - early.nodes, 'nodes').to.be.lessThan(500);
    visit.expectNoProblem();
  });

  it('are lit, each in its own colours', async () => {
    for (const { address, colours } of COLOURS) {
      const card = visit.page.locator('.card').filter({ has: visit.page.locator(`[id="name-${address}"]`) });
      await card.getByTitle(texts.settings, { exact: true }).click();
      for (const [label, colour] of Object.entries(colours)) {
        const answered = visit.page.waitForResponse((response) => response.url().endsWith('/api/led'));
        await card.getByLabel(label).fill(colour);
        await answered;
      }
      await card.getByText(`${texts.leds} ${texts.notSet}`).waitFor({ state: 'detached' });
      await card.getByTitle(texts.settings, { exact: true }).click();
    }
    const body = await control.device(COLOURS[0]?.address ?? '');
    expect(body).to.have.property('leds').that.deep.equals(['FFB400', 'FF5000']);
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await visit.page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
    await visit.page.mouse.move(0, 0);
    await visit.picture(README_PICTURE, false);
  });
});
