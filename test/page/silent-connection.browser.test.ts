/** Pages whose connection to the server dies without a close, as in the sleep of a laptop or in another Wi-Fi. */
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { texts as ofClocks } from '../../src/page/clocks/texts.js';
import { texts as shared } from '../../src/page/common/texts.js';
import { world, type World } from '../../simulators/testing/index.js';
import { portOf } from '../support/client.js';
import { keeper } from '../support/keep.js';
import { openSilentRelay } from '../support/silent-relay.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const DIE = 'D1:CE:00:00:00:01';
const CLOCK = '58:2D:34:00:00:01';

describe('A page whose WebSocket dies without a close', () => {
  let browser: Browser;
  let rig: World;
  const keep = keeper(after);

  stage(async (opened) => {
    browser = opened;
    rig = await world({ dice: 1, clocks: 1, flags: { 'scan-secs': 0.5 } });
    await rig.dice.post('/api/connect', { address: DIE, dice_type: 'd6' });
  });

  /** A visit through a relay to the server at `url`. */
  const visitThroughRelay = async (url: string) => {
    const relay = keep(await openSilentRelay(portOf(url)));
    const visit = await Visit.at(browser, `http://127.0.0.1:${relay.port}/`);
    await visit.sees(shared.connection.open);
    return { relay, visit };
  };

  it('shows the roll that it missed: the page of dice', async () => {
    const { relay, visit } = await visitThroughRelay(rig.dice.url);
    await visit.page.locator('.die').waitFor();
    relay.cutWebSockets();
    await rig.control.act(DIE, { type: 'roll', face: 4, roll_ms: 0 });
    await visit.seesAll('.rolls li', 1);
    expect(await visit.faces()).to.deep.equal(['4']);
    await visit.sees(shared.connection.open);
    visit.expectNoProblem();
  });

  it('shows the reading that it missed, and answers: the page of clocks', async () => {
    const { relay, visit } = await visitThroughRelay(rig.clock.url);
    await visit.press(`${shared.connect} Qingping Alarm Clock ${CLOCK}`);
    await visit.sees('21.5 °C');
    relay.cutWebSockets();
    await rig.control.act(CLOCK, { type: 'sensors', temperature: 17.5, humidity: 40 });
    await visit.sees('17.5 °C');
    await visit.press(`${ofClocks.sync} Qingping Alarm Clock ${CLOCK}`);
    await visit.sees(ofClocks.synced);
    visit.expectNoProblem();
  });

  it('shows the device that it missed: the page of the simulator', async () => {
    const { relay, visit } = await visitThroughRelay(rig.control.url);
    await visit.page.getByRole('button', { name: /^Die 00:01/ }).waitFor();
    relay.cutWebSockets();
    await rig.control.add({ kind: 'dice', address: 'D1:CE:00:00:00:09' });
    await visit.page.getByRole('button', { name: /^Die 00:09/ }).waitFor();
    visit.expectNoProblem();
  });

  for (const server of ['dice', 'clock', 'control'] as const)
    it(`is not live while nothing reaches the server, and live again afterwards: ${server}`, async () => {
      const { relay, visit } = await visitThroughRelay(rig[server].url);
      relay.cut();
      await visit.sees(shared.connection.lost);
      relay.mend();
      await visit.sees(shared.connection.open);
    });
});
