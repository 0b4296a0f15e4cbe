import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { commands, endpoints, requests, State } from '../../src/clock/contract.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { BEDROOM, KITCHEN, LIMITS, startFixture, type ClockFixture } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import { figuresOf } from '../support/figures.js';
import { defectsDuring } from '../support/defects.js';
import { otherTurns } from '../support/hci-host.js';
import { keeper } from '../support/keep.js';
import {
  Consumer,
  fleetOn,
  has,
  is,
  startAedes,
  type EmbeddedBroker,
  type TestFleet,
} from '../support/mqtt.js';

const SERVER = 'airbench/clock/servers/one';
const RESULT = `${SERVER}/result`;
const COMMANDS = `${SERVER}/commands`;
const DEVICE = `${SERVER}/devices/${KITCHEN}`;
/** Commands to the server that has the clock. */
const TO_CLOCK = `airbench/clock/devices/${KITCHEN}/commands`;

const ALARM = { slot: 3, time: '07:30', repeat_mask: 31, enabled: true, snooze: false };

type Values = Readonly<Record<string, unknown>>;

const isKnown = (value: unknown): boolean =>
  has({ connected: true })(value) &&
  Object.entries(value as Values).every(
    ([name, reading]) => reading !== null || ['label', 'next_alarm'].includes(name),
  );

describe('A clock server on a broker', () => {
  const keep = keeper();
  let broker: EmbeddedBroker;
  let server: TestFleet;
  let fixture: ClockFixture;
  let client: ClockClient;
  let consumer: Consumer;
  let device: FakeClock;
  let first: unknown;

  /** A server that has joined, and its fixture. */
  const join = async (options: Parameters<typeof startFixture>[0] = {}): Promise<void> => {
    server = keep(fleetOn(broker.port, 'clock'));
    await next(SERVER, { status: 'online' });
    fixture = keep(await startFixture({ fleet: server.fleet, ...options }));
  };

  const begin = async (limits = {}): Promise<void> => {
    await join({ limits });
    client = await fixture.client();
    device = await fixture.connected(KITCHEN, client);
    first = await consumer.on(`${DEVICE}/state`, isKnown);
  };

  beforeEach(async () => {
    broker = keep(await startAedes());
    consumer = keep(await Consumer.of(broker.port));
  });

  /** The next message on a topic that has these values. */
  const next = (topic: string, values: Values): Promise<unknown> => consumer.on(topic, has(values));
  const clockIs = (values: Values): Promise<unknown> => next(`${DEVICE}/state`, values);
  const setAlarm = (alarm: Values = ALARM): Promise<unknown> =>
    client.succeed({ type: 'set_alarm', address: KITCHEN, ...alarm });

  /** The answer to a command. */
  const ask = async (topic: string, payload: unknown): Promise<unknown> => {
    await consumer.say(topic, payload);
    return consumer.on(RESULT);
  };

  describe('with a connected clock', () => {
    beforeEach(() => begin());

    it('publishes the cached values of the clock, and reads the others from it', async () => {
      expect(isRight(State.decode(first))).to.equal(true);
      expect(first).to.include({ address: KITCHEN, temperature: 21.5, humidity: 43.2, battery: 85 });
      expect(first).to.deep.include({ alarms: [], firmware: device.state.firmware });
      device.measure({ temperature: 22, humidity: 51 });
      await clockIs({ temperature: 22, humidity: 51 });
      expect(device.sent('ReadAlarms')).to.have.length(1);
      expect(device.sent('ReadFirmware')).to.have.length(1);
    });

    it('goes on after a defect in one of its reads, and reads again', async () => {
      const defect = new Error('a defect');
      device.onCommand = ({ _tag }) => {
        if (_tag === 'ReadAlarms') throw defect;
      };
      const failed = await defectsDuring(async () => {
        await setAlarm();
        await fixture.radio.until(() => device.sent('ReadAlarms').length === 2);
        await otherTurns();
      });
      expect(failed).to.deep.equal([defect]);
      device.onCommand = () => undefined;
      await setAlarm();
      await clockIs({ alarms: [ALARM] });
    });

    it('publishes the name that a clock advertised last', async () => {
      device.name = 'Kitchen';
      fixture.radio.advertise(device);
      await clockIs({ name: 'Kitchen' });
    });

    it('publishes that a clock is lost, and reads again when it is back', async () => {
      device.lose();
      await consumer.each(
        [`${DEVICE}/state`, has({ connected: false })],
        [`${DEVICE}/availability`, is('offline')],
      );
      fixture.radio.advertise(device);
      await consumer.each(
        [`${DEVICE}/events`, has({ event: 'reconnected' })],
        [`${DEVICE}/state`, has({ connected: true })],
        [`${DEVICE}/availability`, is('online')],
      );
      await fixture.radio.until(() => device.sent('ReadFirmware').length === 2);
    });

    it('clears the retained state of a disconnected clock', async () => {
      await client.succeed({ type: 'disconnect', address: KITCHEN });
      await consumer.each(
        [`${DEVICE}/events`, has({ event: 'disconnected' })],
        [`${DEVICE}/state`, is(undefined)],
        [`${DEVICE}/availability`, is('offline')],
      );
    });

    it('sends each event once, with its number, with and without subscribers', async () => {
      device.measure({ temperature: 19, humidity: 50 });
      const before = await consumer.on(`${DEVICE}/events`);
      await fixture.client(`?address=${KITCHEN}`);
      device.measure({ temperature: 20, humidity: 50 });
      const event = await next(`${DEVICE}/events`, { event: 'sensor_update' });
      expect(event).to.deep.include({ address: KITCHEN, data: { temperature: 20, humidity: 50 } });
      expect(event).to.include.keys('seq', 'instance', 'time');
      expect((event as { seq: number }).seq).to.be.greaterThan((before as { seq: number }).seq);
    });

    it('sends the advertisements of a lost clock, and no events of clocks without a session', async () => {
      const other = fixture.add(BEDROOM);
      device.holdConnect = true;
      device.lose();
      await clockIs({ connected: false });
      fixture.radio.advertise(other);
      fixture.radio.advertise(device);
      const from = consumer.heard.length;
      await next(`${DEVICE}/events`, { event: 'advertisement' });
      expect(consumer.heard.slice(from).some(({ topic }) => topic.includes(BEDROOM))).to.equal(false);
    });

    it('publishes alarms and settings that any client changes', async () => {
      await setAlarm();
      await clockIs({ alarms: [ALARM] });
      const answer = await ask(`${TO_CLOCK}/write_settings`, { id: 7, settings: { volume: 5 } });
      expect(answer).to.deep.include({ id: 7, command: 'write_settings' });
      await consumer.on(
        `${DEVICE}/state`,
        (value) => (value as { settings: { volume: number } }).settings.volume === 5,
      );
      await ask(`${TO_CLOCK}/delete_alarm`, { slot: 3 });
      await clockIs({ alarms: [] });
    });

    it('reads the alarms again after one has rung, as the clock switches off an alarm that rings once', async () => {
      // The clock is at UTC+12.
      const once = { ...ALARM, slot: 0, time: '15:10', repeat_mask: 0 };
      await setAlarm(once);
      await clockIs({ alarms: [once], next_alarm: '2026-01-02T03:10:00.000Z' });
      const [alarm = null] = device.state.alarms;
      device.become({ alarms: [alarm && { ...alarm, enabled: false }] });
      fixture.time.advance(Date.UTC(2026, 0, 2, 3, 11, 30) - fixture.time.date().getTime());
      await clockIs({ alarms: [{ ...once, enabled: false }], next_alarm: null });
      expect(device.sent('ReadAlarms')).to.have.length(3);
    });

    it('reads alarms again after a reset by the button, once the clock is connected', async () => {
      await setAlarm();
      await clockIs({ alarms: [ALARM] });
      device.become({ alarms: [], token: null });
      device.lose();
      await clockIs({ connected: false });
      fixture.radio.advertise(device);
      await clockIs({ connected: true, alarms: [] });
    });

    it('takes all commands except connection commands, and all reads of REST', async () => {
      const names = [...new Set([...Object.keys(endpoints), ...Object.keys(requests)])].join(', ');
      expect(Object.keys(commands).filter((name) => !(name in requests))).to.deep.equal([
        ...['subscribe_events', 'unsubscribe_events', 'upload_ringtone'],
      ]);
      expect(await ask(`${COMMANDS}/upload_ringtone`, {})).to.deep.equal({
        command: 'upload_ringtone',
        error: `the command must be one of ${names}, got "upload_ringtone"`,
        code: 'invalid_input',
      });
      for (const name of ['sensors', 'battery', 'firmware', 'alarms', 'settings']) {
        device.measure({ temperature: 21, humidity: 50 });
        const { body } = await fixture.get(`/api/devices/${KITCHEN}/${name}`);
        expect(await ask(`${COMMANDS}/${name}`, { address: KITCHEN })).to.deep.equal({
          command: name,
          result: body,
        });
      }
      expect(await ask(`${COMMANDS}/devices`, '')).to.deep.include({ command: 'devices' });
    });

    for (const [title, payload, error, code] of [
      ['is not JSON', '{', /^the payload is not valid JSON: /, 'invalid_json'],
      ['is not an object', '[1]', /^the payload must be a JSON object, got \[1\]$/, 'invalid_input'],
      ['has no slot', {}, /^slot is missing: it must be a whole number from 0 to 15$/, 'invalid_input'],
      [
        'is too large',
        `{"x":"${'x'.repeat(65_536)}"}`,
        /^the body must be at most 65536 bytes$/,
        'body_too_large',
      ],
    ] as const) {
      it(`answers a payload that ${title} with an error`, async () => {
        const answer = await ask(`${TO_CLOCK}/delete_alarm`, payload);
        expect(answer).to.include({ command: 'delete_alarm', code });
        expect((answer as { error: string }).error).to.match(error);
      });
    }

    it('counts commands like WebSocket commands', async () => {
      for (const value of [10, 20]) await ask(`${TO_CLOCK}/set_brightness`, { value });
      await ask(`${TO_CLOCK}/set_brightness`, { value: 'bright' });
      await ask(`${TO_CLOCK}/set_brightness`, '{');
      await ask(`${COMMANDS}/made_up`, {});
      await ask(`${TO_CLOCK}/made_up`, {});
      expect(await figuresOf(fixture.server.port)).to.include({
        'airbench_commands_total{command="set_brightness",result="ok"}': 2,
        'airbench_commands_total{command="set_brightness",result="invalid_input"}': 1,
        'airbench_commands_total{command="set_brightness",result="invalid_json"}': 1,
        'airbench_commands_total{command="unreadable",result="invalid_input"}': 2,
        'airbench_command_duration_seconds_count{command="set_brightness"}': 2,
        airbench_commands_pending: 0,
      });
    });

    it('refuses more scans than a client may have under way, and answers other commands', async () => {
      for (let count = 0; count < 300; count++)
        void consumer.say(`${COMMANDS}/scan`, { id: count, duration_secs: 1 });
      for (let count = 8; count < 300; count++) {
        expect(await consumer.on(RESULT)).to.deep.include({ id: count, code: 'too_many_requests' });
      }
      expect(await ask(`${COMMANDS}/devices`, {})).to.include.keys('result');
      fixture.time.advance(1_000);
      for (let count = 0; count < 8; count++) expect(await consumer.on(RESULT)).to.include.keys('result');
    });

    it('answers waiting commands when it stops, and refuses later commands', async () => {
      await consumer.say(`${COMMANDS}/scan`, { id: 1, duration_secs: 600 });
      await consumer.say(`${COMMANDS}/devices`, { id: 2 });
      await consumer.on(RESULT, has({ id: 2 }));
      const ended = fixture.server.close();
      expect(await consumer.on(RESULT)).to.include({ id: 1, code: 'shutting_down' });
      expect(await ask(`${COMMANDS}/devices`, { id: 3 })).to.include({ id: 3, code: 'shutting_down' });
      await ended;
    });
  });

  it('counts the commands of all clients of the broker towards the limit of requests', async () => {
    await join({ protection: { requestsPerMinute: 2 } });
    for (const id of [1, 2]) expect(await ask(`${COMMANDS}/devices`, { id })).to.deep.include({ result: [] });
    expect(await ask(`${COMMANDS}/devices`, { id: 3 })).to.deep.equal({
      id: 3,
      command: 'devices',
      error: 'too many requests: at most 2 a minute are answered',
      code: 'too_many_requests',
    });
  });

  it('answers a command that came before the server had started', async () => {
    server = keep(fleetOn(broker.port, 'clock'));
    await next(SERVER, { status: 'online' });
    await consumer.say(`${COMMANDS}/devices`, { id: 1 });
    fixture = keep(await startFixture({ fleet: server.fleet }));
    expect(await consumer.on(RESULT)).to.deep.include({ id: 1, result: [] });
  });

  it('ignores a command that was retained', async () => {
    await consumer.say(`${COMMANDS}/devices`, { id: 1 }, { retain: true });
    await join();
    expect(await ask(`${COMMANDS}/devices`, { id: 2 })).to.include({ id: 2 });
  });

  it('does not repeat a request whose timeout ended the link', async () => {
    await join();
    client = await fixture.client();
    device = fixture.add(KITCHEN);
    device.behave({ silent_commands: ['ReadFirmware'] });
    await client.succeed({ type: 'connect', address: KITCHEN });
    await fixture.radio.until(() => device.sent('ReadFirmware').length === 1);
    await fixture.time.pass(LIMITS.answer);
    await clockIs({ connected: false, alarms: [], firmware: null });
    device.behave({ silent_commands: [] });
    fixture.radio.advertise(device);
    await fixture.radio.until(() => device.sent('ReadAlarms').length === 2);
    // Any other request of the server would come before one of these.
    for (const value of [10, 20]) await client.succeed({ type: 'set_brightness', address: KITCHEN, value });
    expect(device.sent('ReadFirmware')).to.have.length(1);
    expect(await ask(`${TO_CLOCK}/firmware`, '')).to.include.keys('result');
    await clockIs({ connected: true, firmware: device.state.firmware });
  });

  it('connects an idle clock again for a command', async () => {
    await begin({ idle: 60_000 });
    await fixture.time.pass(60_000);
    await clockIs({ connected: false });
    fixture.radio.advertise(device);
    const answer = await ask(`${TO_CLOCK}/read_firmware`, '');
    expect(answer).to.deep.include({ result: { address: KITCHEN, firmware: device.state.firmware } });
  });
});
