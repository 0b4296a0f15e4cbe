/** The page of the simulator in a real browser, with the processes of a rig. */
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { endpoints } from '../../simulators/control/contract.js';
import { texts as own } from '../../simulators/page/texts.js';
import { texts as shared } from '../../src/page/common/texts.js';
import { Listener } from '../../simulators/testing/internal/listener.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { world, type Api, type Control } from '../../simulators/testing/index.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const texts = { ...shared, ...own };

const DIE = 'D1:CE:00:00:00:01';
const OTHER = 'D1:CE:00:00:00:02';
const PIXEL = 'F1:CE:00:00:00:01';
const CLOCK = '58:2D:34:00:00:01';

describe('The page of the simulator', () => {
  let dice: Api;
  let control: Control;
  let visit: Visit;
  /** All commands that the page has shown. */
  const commands = new Set<string>();

  const of = (path: string): Promise<unknown> => control.get(path);
  const button = (name: string | RegExp): Locator =>
    visit.page.getByRole('button', { name, exact: typeof name === 'string' });
  const mark = (name: string): Locator => visit.page.getByRole('button', { name });
  const select = (name: string): Locator => visit.page.getByRole('combobox', { name, exact: true });
  const dialog = (): Locator => visit.page.locator('dialog');
  const focusIsOn = (text: string): Promise<void> =>
    visit.page
      .locator(':focus')
      .and(visit.page.getByText(text, { exact: true }))
      .waitFor();

  /** Does an action, and keeps its command. */
  const shown = async (action: () => Promise<void>): Promise<string> => {
    await action();
    const command = (await visit.page.locator('.curl code').textContent()) ?? '';
    commands.add(command);
    return command;
  };
  const press = (name: string | RegExp): Promise<string> => shown(() => button(name).click());

  stage(async (browser) => {
    ({ dice, control } = await world({ dice: 2, clocks: 1, flags: { strict: 'true' } }));
    visit = await Visit.at(browser, control.url);
  });
  afterEach(() => visit.expectNoProblem());

  it('shows each device at its place, with its connections', async () => {
    await mark('Die 00:01 1, -60 dBm, advertising').waitFor();
    await mark('Clock 00:01 22°, -60 dBm, advertising').waitFor();
    await dice.post('/api/connect', { address: DIE, dice_type: 'd6' });
    await mark('Die 00:01 1, -60 dBm, connected to hci').waitFor();
    expect(await visit.page.locator('.link').count()).to.equal(1);
    await visit.page.locator('.label', { hasText: 'GoDice_000002_G_v04' }).waitFor();
  });

  it('links to the page of the chosen device', async () => {
    const link = (name: string): Locator => visit.page.getByRole('link', { name });
    await select(texts.which).selectOption(DIE);
    expect(await link(texts.onPage.dice).getAttribute('href')).to.equal(`${dice.url}/`);
    await select(texts.which).selectOption(CLOCK);
    await link(texts.onPage.clock).waitFor();
  });

  it('is well made with all its forms open', async () => {
    await select(texts.which).selectOption(CLOCK);
    for (const summary of await visit.page.locator('summary').all()) await summary.click();
    await visit.expectWellMade('simulator-forms');
    await visit.expectKeyboardWalk();
  });

  it('rolls a die, which the dice server reports to its clients', async () => {
    const listener = await Listener.open(`${dice.url}/ws`);
    await select(texts.which).selectOption(DIE);
    await select('Face').selectOption('5');
    const command = await press('Roll');
    await visit.page.locator('.packets').waitFor({ state: 'attached' });
    expect(await listener.next(({ kind }) => kind === 'Stable')).to.include({ face: 5 });
    listener.close();
    await visit.sees(texts.up('d6', '5'));
    expect(await of(`/devices/${DIE}`)).to.deep.include({ rolling: false });
    expect(command).to.equal(
      `curl -s ${control.url}/devices/${DIE}/actions -H 'content-type: application/json' ` +
        `-d '{"type":"roll","die":"d6","face":5}'`,
    );
  });

  it('taps a die, and confirms the tap', async () => {
    await press('Double tap');
    await visit.sees(texts.did('Double tap', true));
    await focusIsOn('Double tap');
  });

  it('takes a device out of range by the keyboard, brings it back, and keeps the focus', async () => {
    await mark('Die 00:01').focus();
    await visit.page.keyboard.press('ArrowRight');
    await visit.page.keyboard.press('ArrowDown');
    await mark('Die 00:02 1, -70 dBm').waitFor();
    await press(texts.takeAway);
    await mark('Die 00:02 1, out of range').waitFor();
    expect(await of(`/devices/${OTHER}`)).to.deep.include({ in_range: false });
    await focusIsOn(texts.bringBack);
    await visit.page.keyboard.press('Enter');
    await mark('Die 00:02 1, -70 dBm').waitFor();
  });

  it('takes a device out of range by dragging it', async () => {
    await mark('Clock').scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await mark('Clock').locator('circle').boundingBox()) ?? expect.fail();
    await visit.page.mouse.move(x + width / 2, y + height / 2);
    await visit.page.mouse.down();
    await visit.page.mouse.move(x + 600, y - 600, { steps: 4 });
    await visit.page.mouse.up();
    await mark('Clock 00:01 22°, out of range').waitFor();
    expect(await of(`/devices/${CLOCK}`)).to.deep.include({ in_range: false });
  });

  it('changes the readings of a clock', async () => {
    await mark('Clock').press('Enter');
    await visit.page.getByLabel('Temperature').fill('30.5');
    await press('Set sensors');
    await visit.page.locator('.readings').getByText('30.5').waitFor();
    expect(await of(`/devices/${CLOCK}`)).to.deep.include({ temperature: 30.5 });
    await visit.sees(texts.did('Set sensors', false));
  });

  it('makes a clock misbehave, lists the faults, and restores its usual behaviour', async () => {
    await visit.page.getByText(texts.misbehaves([]), { exact: true }).click();
    await select('Wrong token').selectOption('drop');
    await visit.page
      .getByRole('group', { name: 'Commands refused' })
      .getByLabel('set alarm', { exact: true })
      .check();
    await shown(() =>
      visit.page.locator('.chosen-device').getByRole('button', { name: texts.set, exact: true }).click(),
    );
    await visit.sees(texts.misbehaves(['Wrong token', 'Commands refused']));
    expect(await of(`/devices/${CLOCK}`))
      .to.have.property('behaviour')
      .that.deep.includes({ wrong_token: 'drop', refused_commands: ['set_alarm'], ack_delay_ms: 0 });
    await press(texts.behaveAsUsual);
    await visit.sees(texts.misbehaves([]));
  });

  it('adds a device and removes it; the focus follows the chosen device', async () => {
    await button(texts.addDevice).click();
    await select('Colour').selectOption('blue');
    await dialog().getByLabel('Name').fill('Lucky');
    await visit.expectWellMade('simulator-add');
    await press(texts.add);
    await dialog().waitFor({ state: 'detached' });
    await visit.page.locator('#chosen:focus', { hasText: 'Lucky' }).waitFor();
    await mark('Die 00:03').waitFor();
    await press(texts.remove);
    await mark('Die 00:03').waitFor({ state: 'detached' });
    await visit.page.locator('#chosen:focus').waitFor();
  });

  it('shows a die of another maker in its shape, its face and its LEDs', async () => {
    const pixel = { kind: 'pixels', address: PIXEL, die: 'd20', face: 20, color: 'midnight_galaxy' };
    await control.add(pixel);
    await mark('Pixels die 00:01 20, -60 dBm, advertising').waitFor();
    await select(texts.which).selectOption(PIXEL);
    await visit.sees(texts.up('d20', '20'));
    const connected = await dice.post('/api/connect', { address: PIXEL, dice_type: 'd20' });
    const { session_id } = connected as { readonly session_id: string };
    await dice.post('/api/led', { session_id, led1: '00A0FF' });
    await visit.page.getByRole('img', { name: texts.leds(20, 20) }).waitFor();
    await select('Face').selectOption('12');
    await press('Roll');
    await visit.sees(texts.up('d20', '12'));
    await visit.expectWellMade('simulator-pixels');
    await press(texts.remove);
    await mark('Pixels die').waitFor({ state: 'detached' });
  });

  it('breaks a link, counts the actions of the fault, and removes the fault', async () => {
    const faults = visit.page.getByRole('region', { name: texts.faults });
    await faults.getByLabel(texts.of).selectOption(DIE);
    await press(texts.addFault);
    await visit.sees(texts.hits(1));
    expect(await of('/faults')).to.deep.equal([{ device: DIE, type: 'link_loss', id: 'f1', hits: 1 }]);
    await press(`${texts.removeFault} Link loss ${DIE}`);
    await visit.sees(texts.noFaults);
    expect(await of('/faults')).to.deep.equal([]);
    await visit.page.locator('#faults:focus').waitFor();
  });

  it('starts chaos and stops it', async () => {
    const chaos = visit.page.getByRole('region', { name: texts.chaos });
    await chaos.getByLabel(texts.type).selectOption('loss');
    await chaos.getByLabel('A minute').fill('2');
    await chaos.getByLabel('Share, 0 to 1').fill('0.5');
    await chaos.getByRole('button', { name: texts.addToPlan }).click();
    const command = await press(texts.startChaos);
    expect(command).to.include(
      '{"type":"link_loss","per_minute":6},{"type":"loss","per_minute":2,"rate":0.5}',
    );
    await visit.sees(/^Runs: /);
    await press(texts.stopChaos);
    await visit.sees(texts.noChaos);
    await focusIsOn(texts.stopChaos);
  });

  it('switches an adapter off and on, and unplugs it; its server opens it again', async () => {
    await press(`${texts.switchOff} hci0`);
    await button(`${texts.switchOn} hci0`).waitFor();
    expect(await of('/adapters')).to.have.nested.property('[0].powered', false);
    await press(`${texts.switchOn} hci0`);
    await button(`${texts.switchOff} hci0`).waitFor();
    await press(`${texts.unplug} hci0`);
    await button(`${texts.switchOff} hci0`).waitFor();
  });

  it('adds a Bluetooth proxy and removes it', async () => {
    const radio = visit.page.getByRole('region', { name: texts.adapters });
    await radio.getByLabel('Name').fill('kitchen');
    await press(texts.addProxy);
    await visit.sees(texts.freeSlots(3, 3));
    expect(await of('/proxies')).to.have.nested.property('[0].name', 'kitchen');
    await press(`${texts.removeProxy} kitchen`);
    await visit.sees(texts.noProxies);
    expect(await of('/proxies')).to.deep.equal([]);
  });

  it('changes the radio', async () => {
    const radio = visit.page.getByRole('region', { name: texts.adapters });
    await radio.getByLabel('Latency, ms').fill('2.5');
    const set = radio.getByRole('button', { name: texts.set, exact: true });
    await shown(() => set.click());
    await set.and(radio.locator('[aria-busy=false]')).waitFor();
    expect(await of('/air')).to.deep.include({ latency_ms: 2.5, loss: 0, chaos: false });
  });

  it('saves the trace', async () => {
    const [download] = await Promise.all([visit.page.waitForEvent('download'), press(texts.download)]);
    expect(download.suggestedFilename()).to.equal('air.btsnoop');
  });

  it('rolls all dice at once, and shows the commands', async () => {
    const listener = await Listener.open(`${control.url}/events`);
    const command = await press(texts.rollAll);
    for (const address of [DIE, OTHER]) {
      expect(command).to.include(`${control.url}/devices/${address}/actions`);
      await listener.next(
        ({ address: of, model }) =>
          of === address && (model as { rolling?: boolean } | undefined)?.rolling === true,
      );
    }
    listener.close();
  });

  it('warns of the losses of a reset, and resets', async () => {
    await button(texts.reset).click();
    await visit.sees(texts.resetLoses);
    await visit.expectWellMade('simulator-reset');
    await press(texts.resetNow);
    await dialog().waitFor({ state: 'detached' });
    await focusIsOn(texts.reset);
    await mark('Clock 00:01 22°, -60 dBm, advertising').waitFor();
    expect(await of('/air')).to.deep.include({ latency_ms: 0 });
  });

  it('adds the devices of a YAML file, up to the first wrong one', async () => {
    await button(texts.addDevice).click();
    await dialog().getByRole('combobox', { name: texts.kind }).selectOption({ label: texts.described });
    const file = (content: string) => ({ name: 'two.yaml', mimeType: '', buffer: Buffer.from(content) });
    const chooser = dialog().getByLabel(texts.file, { exact: true });
    await chooser.setInputFiles(file('kind: [dice'));
    await button(texts.add).click();
    await dialog()
      .getByText(/^the description is neither JSON nor YAML: .* at line 1/)
      .waitFor();
    await chooser.setInputFiles(file('# two\n- {kind: dice, name: First}\n- kind: clock\n  humidity: 101\n'));
    await button(texts.add).click();
    await dialog().getByText('device 2: humidity must be').waitFor();
    visit.excuse(/400/);
    await visit.press(texts.cancel);
    await mark('Die 00:03 1, -60 dBm, advertising, First').waitFor();
  });

  it('adds a described device, and shows and sets its values', async () => {
    await button(texts.addDevice).click();
    await dialog().getByRole('combobox', { name: texts.kind }).selectOption({ label: texts.described });
    const description = dialog().getByRole('textbox', { name: texts.description });
    const add = async (value: object): Promise<void> => {
      const characteristics = [{ uuid: '2a19', properties: ['read', 'notify'], value }];
      const services = [{ uuid: '180f', characteristics }];
      await description.fill(JSON.stringify({ kind: 'gatt', name: 'Pasted', services }));
      await button(texts.add).click();
    };
    await add({ u8: 300 });
    await dialog().getByText('services[0].characteristics[0].value.u8 must be').waitFor();
    visit.excuse(/400/);
    await add({ u8: 30 });
    await visit.page.getByRole('heading', { name: 'Pasted' }).waitFor();
    const values = visit.page.getByRole('region', { name: texts.values });
    await values.getByText('1e', { exact: true }).waitFor();
    await visit.page.getByRole('textbox', { name: 'Value' }).first().fill('2a');
    await button(texts.action('set')).click();
    await values.getByText('2a', { exact: true }).waitFor();
  });

  it('offers all requests that change something', () => {
    const shownCommands = [...commands];
    const missing = Object.values(endpoints({})).filter(({ method, path }) => {
      const form = method === 'POST' ? '' : `-X ${method} `;
      const command = new RegExp(`^curl -s ${form}${control.url}${path.replace(/:\w+/g, '[^/ ]+')}( |$)`);
      return method !== 'GET' && !shownCommands.some((text) => command.test(text));
    });
    expect(missing).to.deep.equal([]);
  });
});

describe('The page of the simulator without devices', () => {
  const TOKEN = 'token-of-the-air-test';
  let visit: Visit;
  let air: Program;
  let control: string;

  const serve = async (port: number, ...args: readonly string[]): Promise<void> => {
    air = Program.airbench(['air', '--control-port', String(port), '--hci-port', '0', ...args], {
      env: { AIRBENCH_CONTROL_TOKEN: TOKEN },
    });
    control = await air.url('control API');
  };

  stage(async (browser) => {
    await serve(0, '--dice', '0', '--clocks', '0');
    visit = await Visit.at(browser, control);
  });

  it('asks for its token', async () => {
    await visit.sees(texts.connection.token);
    await visit.expectWellMade('simulator-token');
    await visit.useToken(TOKEN);
    await visit.sees(texts.empty);
    await visit.expectWellMade('simulator-empty');
  });

  it('is empty until a device is added, and again after its removal', async () => {
    await visit.press(texts.putIn);
    await visit.press(texts.add);
    await visit.page.locator('#chosen:focus').waitFor();
    expect(await visit.page.locator('.curl code').textContent()).to.include('$AIRBENCH_CONTROL_TOKEN');
    await visit.press(texts.remove);
    await visit.page.locator('#nobody:focus').waitFor();
  });

  it('shows that the server is gone, and shows the new world after its return', async () => {
    const mark = (name: string): Locator => visit.page.getByRole('button', { name });
    await visit.press(texts.putIn);
    await visit.press(texts.add);
    await mark('Die 00:01').waitFor();
    await visit.losesServer('simulator', air, (port) => serve(port, '--dice', '0', '--clocks', '1'));
    await mark('Clock 00:01').waitFor();
    await mark('Die 00:01').waitFor({ state: 'detached' });
    visit.excuse(/WebSocket|ERR_(?:CONNECTION|SOCKET)|503/);
  });
});
