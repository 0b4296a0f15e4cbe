/** A dice server on a broker, as Home Assistant sees it. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { after, before, describe, it } from 'mocha';
import { openBroker, type TestBroker } from '../../features/support/broker.js';
import { DiceEvent } from '../../src/dice/contract.js';
import { startDiceServer, type DiceServer } from '../../src/dice/index.js';
import { openMetrics } from '../../src/metrics/index.js';
import { discoveryOf } from '../../src/mqtt/home-assistant.js';
import { openFleet } from '../../src/mqtt/open-fleet.js';
import { type Fleet } from '../../src/mqtt/index.js';
import { topicsOf } from '../../src/mqtt/topics.js';
import { systemClock } from '../../src/time.js';
import { post } from '../support/client.js';
import { LIMITS, RED, GREEN } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import { silent } from '../support/log.js';
import { requirePython } from '../support/require.js';
import { steppedClock, type SteppedClock } from '../support/stepped-clock.js';
import { entitiesOf, problemsOf, takesState } from './home-assistant-rules.js';
import { render, variablesOf } from './jinja.js';

const PATIENCE_MS = 5_000;
const CONFIG = 'homeassistant/device/airbench_d1ce00000001/config';
const STATE = `airbench/dice/devices/${RED}/state`;
const EVENTS = `airbench/dice/devices/${RED}/events`;
const RESULT = 'airbench/dice/servers/one/result';

const TEMPLATES = ['value_template', 'state_value_template', 'rgb_value_template'];

describe('Home Assistant finds dice', () => {
  let broker: TestBroker;
  let fleet: Fleet;
  let server: DiceServer;
  let radio: FakeRadio;
  let clock: SteppedClock;
  let die: FakeDie;
  let session = '';

  const payloadsOf = (wanted: string): readonly string[] =>
    broker.messages.flatMap(({ topic, payload }) => (topic === wanted ? [payload] : []));

  const latest = (topic: string): string => broker.latest.get(topic) ?? '';

  const stateHas = (part: string): Promise<true> =>
    broker.until(`the state has ${part}`, () => (latest(STATE).includes(part) ? true : undefined));

  const connect = async (address: string): Promise<string> => {
    const { body } = await post(server.port, '/api/connect', { address });
    return (body as { readonly session_id: string }).session_id;
  };

  /** What is answered to a payload at the topic of a command. */
  const answered = async (topic: string, payload: string): Promise<unknown> => {
    const before = payloadsOf(RESULT).length;
    await broker.publish(topic, payload);
    return JSON.parse(await broker.until('it is answered', () => payloadsOf(RESULT)[before]));
  };

  const entity = (id: string): Readonly<Record<string, unknown>> => entitiesOf(latest(CONFIG))[id] ?? {};

  const textOf = (id: string, option: string): string => {
    const value = entity(id)[option];
    return typeof value === 'string' ? value : '';
  };

  before(async () => {
    broker = await openBroker(PATIENCE_MS);
    radio = new FakeRadio();
    clock = steppedClock(Date.UTC(2026, 0, 2, 3, 4, 5));
    const metrics = openMetrics('dice');
    fleet = openFleet(
      { url: new URL(broker.url), prefix: 'airbench', name: 'one', homeAssistant: 'homeassistant' },
      { kind: 'dice', clock: systemClock, log: silent, metrics },
    );
    const started = await startDiceServer({
      ...{ radio, clock, metrics, fleet, log: silent, random: () => 0.5 },
      config: { address: '127.0.0.1', port: 0, limits: LIMITS, kept: [] },
    })();
    if (E.isLeft(started)) throw new Error('the server did not start');
    server = started.right;
    die = radio.add(RED);
    session = await connect(RED);
    await stateHas('"connected":true');
  });

  after(async () => {
    await server.close();
    await fleet.close();
    await broker.close();
  });

  it('a die of which little is known, and one of which all is', async () => {
    await stateHas('"leds":null');
    await post(server.port, '/api/led', { session_id: session, led1: 'FF8000' });
    await stateHas('"leds":{"led1":"FF8000","led2":"000000"}');
    die.model.charge(true);
    await stateHas('"charging":true');
    die.say({ _tag: 'RollStart' });
    await stateHas('"rolling":true');
    die.say({ _tag: 'TiltStable', acceleration: { x: -64, y: 0, z: 0 } });
    await stateHas('"face":1');
    for (const payload of payloadsOf(CONFIG)) {
      expect(problemsOf('homeassistant', CONFIG, payload)).to.deep.equal([]);
    }
    expect(Object.keys(entitiesOf(latest(CONFIG)))).to.deep.equal([
      ...['roll', 'tap', 'face', 'battery', 'charging', 'signal', 'led1', 'led2', 'calibrate'],
    ]);
    expect(await broker.retained(CONFIG)).to.equal(latest(CONFIG));
  });

  it('each template takes each state that was published, and a state that is gone', function () {
    requirePython(this, 'jinja2');
    const shown = Object.entries(entitiesOf(latest(CONFIG))).flatMap(([id, entity]) =>
      TEMPLATES.flatMap((name) => {
        const template = entity[name];
        const isOfState = entity['platform'] !== 'event' && typeof template === 'string';
        return isOfState ? [{ id, entity, name, template }] : [];
      }),
    );
    expect(shown).to.have.length.greaterThan(7);
    const states = [...new Set(payloadsOf(STATE)), ''];
    expect(states).to.have.length.greaterThan(4);
    const known = states.at(-2);
    const cases = states.flatMap((state) => shown.map((one) => ({ state, ...one })));
    const rendered = render(
      cases.map(({ template, state }) => ({ template, variables: variablesOf(state) })),
    );
    for (const [index, { id, entity, name, state }] of cases.entries()) {
      const text = rendered[index] ?? 'None';
      expect(takesState(entity, name, text), `${id} shows ${text} of ${state}`).to.equal(true);
      if (state === known) expect(text, id).to.not.be.oneOf(['None', '']);
    }
    const colour = cases.findIndex(({ name, state }) => name === 'rgb_value_template' && state === known);
    expect(rendered[colour]).to.equal('255,128,0');
  });

  it('each event is one of an entity, or shown by another', async function () {
    requirePython(this, 'jinja2');
    die.model.tap('single');
    const before = payloadsOf(EVENTS).length;
    die.say({ _tag: 'Tap' }, { _tag: 'Battery', level: 33 });
    await broker.until('both are there', () => payloadsOf(EVENTS)[before + 1]);
    const events = payloadsOf(EVENTS);
    const shownBy = (id: string): readonly unknown[] =>
      render(
        events.map((event) => ({ template: textOf(id, 'value_template'), variables: variablesOf(event) })),
      ).flatMap((text): unknown[] => (text === '' ? [] : [JSON.parse(text)]));
    expect(shownBy('roll')).to.deep.equal([
      { event_type: 'RollStart', face: null },
      { event_type: 'TiltStable', face: 1 },
    ]);
    expect(shownBy('tap')).to.deep.include({ event_type: 'Tap', face: null });
    const types = ['roll', 'tap'].flatMap((id) => entity(id)['event_types']);
    const kinds = JSON.stringify(DiceEvent.schema.gives).matchAll(
      /"kind":\{"type":"string","enum":(\[.*?\])/g,
    );
    expect([...kinds].flatMap(([, list = '']) => JSON.parse(list) as unknown)).to.have.members([
      ...types,
      ...['Charging', 'BatteryLevel', 'Disconnected', 'Reconnected'],
    ]);
  });

  it('each LED is set, and switched off', async function () {
    requirePython(this, 'jinja2');
    const leds = ['led1', 'led2'];
    const commands = render(
      leds.map((led) => ({
        template: textOf(led, 'rgb_command_template'),
        variables: { value: '0,171,255', red: 0, green: 171, blue: 255 },
      })),
    );
    for (const [index, led] of leds.entries()) {
      expect(await answered(textOf(led, 'rgb_command_topic'), commands[index] ?? ''))
        .to.have.property('result')
        .that.includes({ [led]: '00ABFF' });
      await stateHas(`"${led}":"00ABFF"`);
      expect(await answered(textOf(led, 'command_topic'), textOf(led, 'payload_off')))
        .to.have.property('result')
        .that.includes({ [led]: '000000' });
      await stateHas(`"${led}":"000000"`);
    }
    const shown = leds.flatMap((led) =>
      ['state_value_template', 'rgb_value_template'].map((name) => ({
        template: textOf(led, name),
        variables: variablesOf(latest(STATE)),
      })),
    );
    expect(render(shown)).to.deep.equal(leds.flatMap((led) => [textOf(led, 'payload_off'), '0,0,0']));
  });

  it('a press of the button calibrates', async () => {
    die.say({ _tag: 'Stable', acceleration: { x: -60, y: 2, z: 0 } });
    await stateHas('"rolling":false');
    expect(await answered(textOf('calibrate', 'command_topic'), textOf('calibrate', 'payload_press')))
      .to.have.property('result')
      .that.includes({ face: 1 });
  });

  it('says it again when Home Assistant was started, and only then', async () => {
    const before = payloadsOf(CONFIG).length;
    await broker.publish('homeassistant/status', 'offline');
    await broker.publish('homeassistant/status', 'online');
    const again = await broker.until('it is said again', () => payloadsOf(CONFIG)[before]);
    expect(again).to.equal(payloadsOf(CONFIG)[before - 1]);
    expect(payloadsOf(CONFIG)).to.have.length(before + 1);
  });

  it('a die that is lost for good stays, one that a client lets go is removed', async () => {
    const topic = CONFIG.replace(/1\/config$/, '2/config');
    const lost = radio.add(GREEN);
    await connect(GREEN);
    await broker.until('it is found', () => broker.latest.get(topic));
    lost.lose();
    radio.forget(lost);
    await clock.pass(LIMITS.reconnect);
    const state = topicsOf('airbench', 'dice', 'one').state(GREEN);
    await broker.until('its session is over', () => (broker.latest.get(state) === '' ? true : undefined));
    expect(latest(topic)).to.not.equal('');
    await post(server.port, '/api/disconnect', { session_id: session });
    await broker.until('it is removed', () => (latest(CONFIG) === '' ? true : undefined));
    session = await connect(RED);
    await broker.until('it is found again', () => (latest(CONFIG) === '' ? undefined : true));
  });

  it('is the same whichever server has the die, but for the server', () => {
    const [first = '', second = ''] = ['one', 'two'].map((name) =>
      discoveryOf('homeassistant', topicsOf('airbench', 'dice', name)).payload({
        address: RED,
        isConnected: true,
        state: {},
        identity: {},
        homeAssistant: () => ({
          ...{ name: 'A die', manufacturer: 'Particula', model: 'GoDice' },
          entities: { face: { platform: 'sensor', name: 'Face' } },
        }),
      }),
    );
    expect(second).to.not.equal(first);
    expect(second).to.equal(first.replace('servers/one', 'servers/two'));
  });

  it('what breaks a rule is named', () => {
    const breaks: readonly (readonly [string, string, string])[] = [
      ['"p":"sensor"', '"p":"sensors"', 'has no platform'],
      ['"unit_of_measurement":"dBm"', '"unit_of_measurement":"%"', 'signal does not measure in "%"'],
      ['"device_class":"battery"', '"device_class":"batteries"', 'has the device class "batteries"'],
      ['_led1"', '_led2"', 'two entities have the same unique_id'],
      ['"unique_id":"airbench_d1ce00000001_face",', '', 'face has no unique_id'],
      ['"o":', '"about":', 'there is no origin'],
      ['"availability_mode":"all"', '"availability_mode":"both"', 'the availability mode of the device'],
      ['"payload_press":', '"press":', 'calibrate has the unknown option press'],
      ['"icon":"mdi:target"', '"icon":"target"', 'icon of calibrate is "target"'],
      [`${EVENTS}"`, 'a/+/b"', 'state_topic of roll'],
      ['"event_types":["Tap","DoubleTap"]', '"event_types":[]', 'event_types of tap'],
    ];
    const good = latest(CONFIG);
    for (const [from, to, why] of breaks) {
      expect(good).to.include(from);
      expect(problemsOf('homeassistant', CONFIG, good.replace(from, to)).join('; ')).to.include(why);
    }
    expect(problemsOf('homeassistant', CONFIG.replace('airbench_', 'air bench'), good)).to.have.length(1);
  });
});
