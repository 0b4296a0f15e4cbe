/** A clock server on a broker, as Home Assistant sees it. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { TestBroker } from '../../features/support/broker.js';
import { settingsFields, type State } from '../../src/clock/contract.js';
import { clockInHomeAssistant, TIMES } from '../../src/clock/home-assistant.js';
import { discoveryOf } from '../../src/mqtt/home-assistant.js';
import { ALARM_SLOTS } from '../../src/protocols/cgd1/index.js';
import { KITCHEN, LIMITS } from '../support/clock-fixture.js';
import { FakeClock } from '../support/fake-clock.js';
import { FakeRadio } from '../support/fake-radio.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { requirePython } from '../support/require.js';
import { openClockServer, storeIn } from '../support/servers.js';
import { steppedTime } from '../support/stepped-time.js';
import { problemsOf } from './home-assistant-schema.js';
import { openView, PREFIX, SERVER, SIGNAL_MS, type View } from './home-assistant-view.js';
import { render, variablesOf } from './jinja.js';

/** Two minutes before the alarm below, on a clock at UTC+12; the day is a Friday. */
const NOW = Date.UTC(2026, 0, 1, 19, 28);
const ALARM = { slot: 3, time: '07:30', repeat_mask: 31, enabled: true, snooze: false };

const UNKNOWN: State = {
  ...{
    address: KITCHEN,
    label: null,
    name: '',
    rssi: null,
    connected: true,
    temperature: null,
    humidity: null,
  },
  ...{ battery: null, firmware: null, settings: null, alarms: null, next_alarm: null },
};

const CONTROLS = [
  ...['volume', 'brightness', 'night_brightness', 'screen_light_secs'],
  ...['language', 'time_format', 'temperature_unit', 'alarms_enabled', 'night_mode_enabled'],
  ...['night_start', 'night_end', 'timezone'],
];

/** All options of a short list, the first two of a longer one. */
const someOf = (options: unknown): readonly unknown[] =>
  Array.isArray(options) ? (options.length > 10 ? options.slice(0, 2) : options) : [];

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const ALARM_PARTS = ['alarm_3', ...['time', ...DAYS, 'snooze'].map((part) => `alarm_3_${part}`)];

describe('A clock server in Home Assistant', () => {
  const keep = keeper(after);
  let broker: TestBroker;
  let device: FakeClock;
  const time = steppedTime(NOW);
  let view: View;

  const command = (name: string, payload: unknown): Promise<unknown> =>
    view.result(`${view.topics.deviceCommands(KITCHEN)}/${name}`, JSON.stringify(payload));

  before(async () => {
    const opened = await openView(keep, 'clock', KITCHEN);
    const { metrics, fleet } = opened;
    ({ broker, view } = opened);
    keep(fleet);
    const radio = new FakeRadio(time);
    keep(
      await openClockServer({
        ...{ radio, time, metrics, fleet, random: () => 0.5, signalMs: SIGNAL_MS },
        config: { limits: LIMITS },
        openStore: storeIn(newFolder(), 'clock', time),
      }),
    );
    device = radio.put(new FakeClock(KITCHEN, radio));
    await broker.until('the server is online', () => broker.latest.get(view.topics.server));
    await view.result(`${view.topics.commands}/connect`, JSON.stringify({ address: KITCHEN }));
    await view.stateHas('"firmware":"');
  });

  it('describes a clock with an alarm, without alarms, and before anything was read', async () => {
    await view.has(view.config, '"sw_version"');
    expect(Object.keys(view.entities())).to.have.members([
      ...['temperature', 'humidity', 'battery', 'signal', 'next_alarm', ...CONTROLS, 'sync', 'preview'],
    ]);
    await command('set_alarm', ALARM);
    await view.has(view.timeConfig('alarm_3_time'), '"name":"Alarm 4 time"');
    expect(view.entities()).to.include.keys(ALARM_PARTS);
    expect(JSON.parse(view.latest(view.config)))
      .to.have.nested.property('dev.name')
      .that.matches(/ 00:01$/);
    await command('delete_alarm', { slot: ALARM.slot });
    await view.has(view.config, '"alarm_3":{"p":"switch"}');
    await broker.until(
      'the time is removed',
      () => view.latest(view.timeConfig('alarm_3_time')) === '' || undefined,
    );
    expect(view.entities()).to.not.have.any.keys(ALARM_PARTS);
    await command('set_alarm', ALARM);
    await view.has(view.config, '"name":"Alarm 4"');
    view.expectValid();
    const unread = discoveryOf(PREFIX, { ...{ kind: 'clock', name: SERVER }, topics: view.topics }).describe(
      KITCHEN,
      clockInHomeAssistant(UNKNOWN),
      { parts: {}, times: TIMES },
    );
    expect(unread.flatMap(({ topic, payload }) => problemsOf(topic, payload))).to.deep.equal([]);
    expect(JSON.stringify(unread)).to.not.include('alarm_3');
  });

  it('gives a labelled clock its label as a name, and changes nothing else', async () => {
    const before = view.latest(view.config);
    expect(await command('set_label', { label: 'Kitchen' })).to.deep.equal({
      address: KITCHEN,
      label: 'Kitchen',
    });
    await view.has(view.config, '"name":"Kitchen"');
    const [dev] = /"name":"[^"]+ 00:01"/.exec(before) ?? [];
    expect(view.latest(view.config)).to.equal(before.replace(String(dev), '"name":"Kitchen"'));
    await view.stateHas('"label":"Kitchen"');
    expect(await command('forget', {})).to.include({ address: KITCHEN });
    await broker.until('the name is back', () => view.latest(view.config) === before || undefined);
  });

  it('has templates that render each published state and a cleared state', async function () {
    requirePython(this, 'jinja2');
    device.measure({ temperature: 19.5, humidity: 51.2 });
    await view.stateHas('"temperature":19.5');
    await view.stateHas('"next_alarm":"');
    expect(view.payloadsAt(view.state)).to.have.length.greaterThan(4);
    expect(await view.shown(UNKNOWN)).to.deep.equal({
      ...{ temperature: '19.5', humidity: '51.2', battery: '85', signal: '-60' },
      ...{ next_alarm: '2026-01-01T19:30:00.000Z', alarm_3: 'True', alarm_3_time: '07:30' },
      ...Object.fromEntries(DAYS.map((day, index) => [`alarm_3_${day}`, index < 5 ? 'True' : 'False'])),
      alarm_3_snooze: 'False',
      ...{ volume: '3', brightness: '100', night_brightness: '50', screen_light_secs: '15' },
      ...{ language: 'en', time_format: '24h', temperature_unit: 'C' },
      ...{ alarms_enabled: 'True', night_mode_enabled: 'True', night_start: '22:00', night_end: '07:00' },
      timezone: 'None',
    });
  });

  it('shows a value outside the range of its entity as unknown', async function () {
    requirePython(this, 'jinja2');
    const ids = [...CONTROLS.filter((id) => !id.endsWith('_enabled')), 'alarm_3_time'];
    const inState = (id: string, value: unknown): string =>
      JSON.stringify({ settings: { [id]: value }, alarms: [{ ...ALARM, time: value }] });
    const values = ids.flatMap((id) => {
      const { platform, min, max, options } = view.entities()[id] ?? {};
      const limits: Readonly<Record<string, readonly [readonly unknown[], readonly unknown[]]>> = {
        number: [
          [min, max],
          [Number(min) - 1, Number(max) + 1, 255],
        ],
        select: [someOf(options), ['other', '', 255]],
        time: [
          ['00:00', '23:59'],
          ['25:61', '255:00', '07:60', '', 7],
        ],
      };
      const [inside = [], outside = []] = limits[String(platform)] ?? [];
      return [
        ...inside.map((value) => ({ id, value, shown: String(value) })),
        ...[...outside, null].map((value) => ({ id, value, shown: 'None' })),
      ];
    });
    const shown = await render(
      values.map(({ id, value }) => ({
        template: view.option(id, 'value_template'),
        variables: variablesOf(inState(id, value)),
      })),
    );
    expect(values.map((value, index) => ({ ...value, shown: shown[index] }))).to.deep.equal(values);
  });

  it('has only times that it removes when a client disconnects it', () => {
    const alarms = Array.from({ length: ALARM_SLOTS }, (_, slot) => ({
      ...ALARM,
      slot,
      time: { hour: 7, minute: 30 },
    }));
    const { entities } = clockInHomeAssistant({ ...UNKNOWN, alarms })({
      state: '',
      events: '',
      command: String,
    });
    const times = Object.keys(entities).filter((id) => entities[id]?.platform === 'time');
    expect(times).to.have.members(TIMES);
  });

  it('keeps all of several simultaneous changes to an alarm', async function () {
    requirePython(this, 'jinja2');
    const payloads = [
      ...['payload_off', 'payload_on'].map((option) => view.option('alarm_3', option)),
      view.option('alarm_3_sunday', 'payload_on'),
      view.option('alarm_3_monday', 'payload_off'),
      view.option('alarm_3_tuesday', 'payload_off'),
      view.option('alarm_3_snooze', 'payload_on'),
      ...(await view.rendered('alarm_3_time', 'command_template', [{ value: '06:15:00' }])),
    ];
    const topic = view.option('alarm_3', 'command_topic');
    await Promise.all(payloads.map((payload) => broker.publish(topic, payload)));
    await view.stateHas(JSON.stringify({ ...ALARM, time: '06:15', repeat_mask: 92, snooze: true }));
  });

  it('sets numbers and times to their limits, selects to each option, switches on and off', async function () {
    requirePython(this, 'jinja2');
    const values = CONTROLS.flatMap((id) => {
      const { platform, min, max, options, command_template: template = '' } = view.entities()[id] ?? {};
      const limits = platform === 'time' ? ['00:00', '23:59'] : [min, max];
      const inputs = Array.isArray(options) ? someOf(options) : limits;
      return typeof template === 'string' && template !== ''
        ? inputs.map((value) => ({ id, value, rendering: { template, variables: { value } } }))
        : [];
    });
    const payloads = await render(values.map(({ rendering }) => rendering));
    const sent = [
      ...values.map(({ id, value }, index) => ({ id, value, payload: payloads[index] ?? '' })),
      ...['alarms_enabled', 'night_mode_enabled'].flatMap((id) => [
        { id, value: false, payload: view.option(id, 'payload_off') },
        { id, value: true, payload: view.option(id, 'payload_on') },
      ]),
    ];
    expect(new Set(sent.map(({ id }) => id))).to.have.property('size', CONTROLS.length);
    for (const { id, value, payload } of sent) {
      const result = await view.result(view.option(id, 'command_topic'), payload);
      expect(result, payload).to.include({ [id]: value });
    }
    expect([...CONTROLS, 'timezone_offset_minutes', 'ringtone']).to.have.members(Object.keys(settingsFields));
  });

  it('sets the time and plays the tone by buttons', async () => {
    for (const [id, done] of [
      ['sync', 'time'],
      ['preview', 'previewing'],
    ] as const) {
      expect(await view.press(id, 'payload_press')).to.have.property(done);
    }
  });

  it('reads the signal again', async () => {
    await time.pass(SIGNAL_MS);
    await view.stateHas('"rssi":-50');
  });

  it('removes a clock that a client disconnects, with its times', async () => {
    const topics = [view.config, ...['night_start', 'alarm_3_time'].map((id) => view.timeConfig(id))];
    for (const topic of topics) expect(view.latest(topic), topic).to.not.equal('');
    await command('disconnect', {});
    await broker.until(
      'all descriptions are empty',
      () => topics.every((topic) => view.latest(topic) === '') || undefined,
    );
    expect(view.entities()).to.deep.equal({});
  });
});
