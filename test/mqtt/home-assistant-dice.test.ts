/** A dice server on a broker, as Home Assistant sees it. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { TestBroker } from '../../features/support/broker.js';
import { topicsOf } from '../../src/contract/topics.js';
import { DiceEvent, type DetailedStatus } from '../../src/dice/contract.js';
import { discoveryOf } from '../../src/mqtt/home-assistant.js';
import { version } from '../../src/system/package.js';
import { LIMITS, RED, GREEN } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { keeper } from '../support/keep.js';
import { requirePython } from '../support/require.js';
import { problemsOf } from './home-assistant-schema.js';
import { openDice, PREFIX, SERVER, SIGNAL_MS, type View } from './home-assistant-view.js';
import { variablesOf } from './jinja.js';

const EVENTS = `airbench/dice/servers/${SERVER}/devices/${RED}/events`;

const SERVER_CONFIG = `${PREFIX}/device/airbench_dice_gro_C3_9Fe_5fHalle/config`;

const UNKNOWN: DetailedStatus = {
  ...{ session_id: '', address: RED, name: null, dice_type: 'd6', connected: true, battery_level: null },
  ...{ color: null, charging: null, rssi: null, rolling: false, face: null, label: null, maker: 'GoDice' },
  ...{ capabilities: [], leds: null, taps: null, lost_until: null },
};

describe('A dice server in Home Assistant', () => {
  const keep = keeper(after);
  let dice: Awaited<ReturnType<typeof openDice>>;
  let broker: TestBroker;
  let view: View;
  let die: FakeDie;

  before(async () => {
    dice = await openDice(keep);
    ({ broker, view, die } = dice);
  });

  it('describes the server before its dice', async () => {
    const config = view.latest(SERVER_CONFIG);
    expect(problemsOf(SERVER_CONFIG, config)).to.deep.equal([]);
    expect(await broker.retained(SERVER_CONFIG)).to.equal(config);
    const topics = broker.messages.map(({ topic }) => topic);
    expect(topics.indexOf(SERVER_CONFIG)).to.be.within(0, topics.indexOf(view.config) - 1);
    const [self, device] = [config, view.payloadsAt(view.config)[0] ?? ''].map(
      (payload) => (JSON.parse(payload) as { readonly dev: Readonly<Record<string, unknown>> }).dev,
    );
    expect(self).to.include({ sw_version: version }).and.not.to.have.property('configuration_url');
    expect(self?.['identifiers']).to.deep.equal([device?.['via_device']]);
    expect(device?.['serial_number']).to.equal(RED);
    await view.has(view.topics.serverState, '{"connected":1}');
  });

  it('describes the server again only when Home Assistant has started', async () => {
    const before = view.payloadsAt(SERVER_CONFIG).length;
    for (const status of ['offline', 'online']) await broker.publish(`${PREFIX}/status`, status);
    await broker.until('a new description', () => view.payloadsAt(SERVER_CONFIG)[before]);
    expect(view.payloadsAt(SERVER_CONFIG)).to.have.length(before + 1);
  });

  it('describes the server with the address of its page, if other machines can open it', () => {
    const page = 'http://192.0.2.7:3000/';
    const { server } = discoveryOf(PREFIX, {
      ...{ kind: 'dice', name: SERVER, topics: view.topics, page: () => page },
    });
    expect(problemsOf(server.topic, server.payload())).to.deep.equal([]);
    expect(JSON.parse(server.payload())).to.have.nested.property('dev.configuration_url', page);
    expect(JSON.parse(server.payload())).to.have.nested.property('o.support_url', `${page}docs`);
  });

  it('describes a die before and after all its fields are known', async () => {
    await view.stateHas('"leds":null');
    await dice.post('/api/led', { session_id: dice.session, led1: 'FF8000' });
    await view.stateHas('"leds":{"led1":"FF8000","led2":"000000"}');
    die.model.charge(true);
    await view.stateHas('"charging":true');
    die.say({ _tag: 'RollStart' });
    await view.stateHas('"rolling":true');
    die.say({ _tag: 'TiltStable', acceleration: { x: -64, y: 0, z: 0 } });
    await view.stateHas('"face":1');
    view.expectValid();
    expect(Object.keys(view.entities())).to.deep.equal([
      ...['roll', 'tap', 'face', 'battery', 'charging', 'signal', 'led1', 'led2'],
      ...['identify', 'taps', 'shell', 'calibrate'],
      ...['rolled_1', 'rolled_2', 'rolled_3', 'rolled_4', 'rolled_5', 'rolled_6'],
    ]);
    expect(await broker.retained(view.config)).to.equal(view.latest(view.config));
  });

  it('has templates that render each published state and a cleared state', async function () {
    requirePython(this, 'jinja2');
    expect(view.payloadsAt(view.state)).to.have.length.greaterThan(4);
    expect(await view.shown(UNKNOWN)).to.deep.equal({
      ...{ face: '1', battery: '80', charging: 'True', signal: '-60' },
      ...{ taps: 'False', shell: 'd6', led1: 'ON', led1_colour: '255,128,0' },
      ...{ led2: '{"led2":"000000"}', led2_colour: '0,0,0' },
    });
  });

  it('shows a type that the select of shells lacks as unknown', async function () {
    requirePython(this, 'jinja2');
    const states = ['d20', 'd100', null].map((dice_type) => variablesOf(JSON.stringify({ dice_type })));
    expect(await view.rendered('shell', 'value_template', states)).to.deep.equal(['d20', 'None', 'None']);
  });

  it('reads the signal again', async () => {
    await dice.time.pass(SIGNAL_MS);
    await view.stateHas('"rssi":-50');
  });

  it('has an entity for each event', async function () {
    requirePython(this, 'jinja2');
    die.model.tap('single');
    const before = view.payloadsAt(EVENTS).length;
    die.say({ _tag: 'Tap' }, { _tag: 'Battery', level: 33 });
    await broker.until('both are there', () => view.payloadsAt(EVENTS)[before + 1]);
    const events = view.payloadsAt(EVENTS).map(variablesOf);
    const shownBy = async (id: string): Promise<readonly unknown[]> => {
      const texts = await view.rendered(id, 'value_template', events);
      return texts.flatMap((text): unknown[] => (text === '' ? [] : [JSON.parse(text)]));
    };
    expect(await shownBy('roll')).to.deep.equal([
      { event_type: 'roll_started', face: null },
      { event_type: 'rolled_tilted', face: 1 },
    ]);
    expect(await shownBy('tap')).to.deep.include({ event_type: 'tap', face: null });
    const kinds = JSON.stringify(DiceEvent.schema.output).matchAll(
      /"kind":\{"type":"string","enum":(\[.*?\])/g,
    );
    const templates = ['roll', 'tap'].map((id) => view.option(id, 'value_template')).join('');
    expect(
      [...kinds]
        .flatMap(([, list = '']) => JSON.parse(list) as readonly string[])
        .filter((kind) => !templates.includes(`'${kind}':`)),
    ).to.have.members(['Charging', 'BatteryLevel', 'Disconnected', 'Reconnected']);
  });

  it('sets each LED, and switches it off', async function () {
    requirePython(this, 'jinja2');
    const colour = { value: '0,171,255', red: 0, green: 171, blue: 255 };
    for (const led of ['led1', 'led2']) {
      const [command = ''] = await view.rendered(led, 'rgb_command_template', [colour]);
      const lit = await view.result(view.option(led, 'rgb_command_topic'), command);
      expect(lit).to.include({ [led]: '00ABFF' });
      await view.stateHas(`"${led}":"00ABFF"`);
      expect(await view.press(led, 'payload_off')).to.include({ [led]: '000000' });
      await view.stateHas(`"${led}":"000000"`);
      const state = [variablesOf(view.latest(view.state))];
      const shown = await view.rendered(led, 'state_value_template', state);
      expect(shown).to.deep.equal([view.option(led, 'payload_off')]);
      expect(await view.rendered(led, 'rgb_value_template', state)).to.deep.equal(['0,0,0']);
    }
  });

  it('identifies the die, and switches its taps on and off', async () => {
    expect(await view.press('identify', 'payload_press')).to.include({ count: 3, leds: 'both' });
    for (const [payload, on] of [
      ['payload_on', true],
      ['payload_off', false],
    ] as const) {
      expect(await view.press('taps', payload)).to.include({ single: on, double: on });
      await view.stateHas(`"taps":{"single":${on},"double":${on}}`);
    }
  });

  it('triggers the automation of the rolled face alone', async function () {
    requirePython(this, 'jinja2');
    const ids = Object.keys(view.entities()).filter((id) => id.startsWith('rolled_'));
    const events = view.payloadsAt(EVENTS).map(variablesOf);
    const triggered = await Promise.all(
      ids.map(async (id) => {
        const texts = await view.rendered(id, 'value_template', events);
        return texts.includes(view.option(id, 'payload')) ? [id] : [];
      }),
    );
    expect(triggered.flat()).to.deep.equal(['rolled_1']);
  });

  it('has the triggers of the faces of the current shell', async function () {
    requirePython(this, 'jinja2');
    for (const [value, last] of [
      ['d20', 'rolled_20'],
      ['d10x', 'rolled_90'],
      ['d6', 'rolled_6'],
    ] as const) {
      const [payload = ''] = await view.rendered('shell', 'command_template', [{ value }]);
      await view.result(view.option('shell', 'command_topic'), payload);
      await view.has(view.config, `"mdi:dice-${value.replace('x', '')}"`);
      expect(Object.keys(view.entities()).at(-1)).to.equal(last);
    }
    view.expectValid();
  });

  it('gives a labelled die its label as a name, and changes nothing else', async () => {
    const before = view.latest(view.config);
    const label = (name: string | null) =>
      view.result(`${view.topics.deviceCommands(RED)}/setDie`, JSON.stringify({ label: name }));
    expect(await label('Red one')).to.include({ address: RED, label: 'Red one' });
    await view.has(view.config, '"Red one"');
    const shownName = /(?<="name":)"[^"]+"(?=,"manufacturer")/;
    expect(view.latest(view.config)).to.equal(before.replace(shownName, '"Red one"'));
    await view.stateHas('"label":"Red one"');
    await label(null);
    await broker.until('the name is back', () => view.latest(view.config) === before || undefined);
  });

  it('keeps a lost die, and removes one that a client disconnects', async () => {
    const topic = view.config.replace(/1\/config$/, '2/config');
    const lost = dice.radio.add(GREEN);
    await dice.connect(GREEN);
    await view.has(topic, '"cmps"');
    lost.lose();
    dice.radio.forget(lost);
    await dice.time.pass(LIMITS.reconnect);
    const state = view.topics.state(GREEN);
    await broker.until('an empty state', () => view.latest(state) === '' || undefined);
    expect(view.latest(topic)).to.not.equal('');
    await dice.post('/api/disconnect', { session_id: dice.session });
    await broker.until('an empty description', () => view.latest(view.config) === '' || undefined);
    await view.has(view.topics.serverState, '{"connected":0}');
    await dice.connect(RED);
    await view.has(view.config, '"cmps"');
  });

  it('describes a die in the same way from each server, except for the topics of the server', () => {
    const [first = '', second = ''] = ['one', 'two'].map((name) =>
      discoveryOf(PREFIX, { ...{ kind: 'dice', name }, topics: topicsOf('airbench', 'dice', name) })
        .describe(
          RED,
          () => ({
            ...{ name: 'A die', manufacturer: 'Particula', model: 'GoDice' },
            entities: { face: { platform: 'sensor', name: 'Face' } },
          }),
          { parts: {}, times: [] },
        )
        .map(({ payload }) => payload)
        .join('\n'),
    );
    expect(second).to.not.equal(first);
    expect(second).to.equal(first.replaceAll('servers/one', 'servers/two').replace('dice_one', 'dice_two'));
  });

  it('has messages whose mistakes the schema names', () => {
    const good = view.latest(view.config);
    for (const [part, wrong, reason] of [
      ['"p":"sensor"', '"p":"sensors"', '/components/face value of tag "platform" must be in oneOf'],
      ['"dBm"', '"%"', '/components/signal/unit_of_measurement must be equal to one of the allowed values'],
      ['_led1"', '_led2"', '/unique_ids must NOT have duplicate items'],
      ['"o":', '"about":', "must have required property 'origin'"],
      ['"payload_press":', '"press":', '/components/identify must NOT have additional properties'],
      ['"mdi:target"', '"target"', '/components/calibrate/icon must match pattern'],
      [`${EVENTS}"`, 'a/+/b"', '/components/roll/state_topic must match pattern'],
    ] as const) {
      expect(good).to.include(part);
      expect(problemsOf(view.config, good.replace(part, wrong)).join('; ')).to.include(reason);
    }
  });
});
