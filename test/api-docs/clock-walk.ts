/** Sends every command of the clock server, calls every operation, and provokes every event. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Advertisement } from '../../src/ble/ports.js';
import { commands } from '../../src/clock/contract.js';
import { READING_SERVICE_DATA } from '../../src/protocols/cgd1/index.js';
import { LIMITS } from '../support/bluetooth-fixture.js';
import { ClockClient, type Response } from '../../simulators/testing/internal/clock-client.js';
import { sine, wav } from '../../features/support/wav.js';
import type { Recorder } from './recorder.js';
import { aName, received, turnOff, turnOn, withFaultOf } from './air.js';
import {
  ABSENT,
  BOUND_CLOCK,
  CLOCK,
  CLOCK_LIMITS,
  NAMELESS,
  OTHER_CLOCK,
  THIRD_DIE,
  TOKENS,
  type Stage,
} from './stage.js';

const ADAPTER = 'hci1';

/** More scans than one connection may have under way. */
const TOO_MANY = 9;

/** How long connecting waits for the reading that a clock advertises. */
const NO_READING_MS = 3_000;

const FULL = '?detail=full';

const ALARM = { slot: 0, time: '07:30', repeat_mask: 31, enabled: true, snooze: true };

const aReading = ({ serviceData }: Advertisement): boolean =>
  serviceData.some(({ uuid }) => uuid === READING_SERVICE_DATA);

/** A client of the WebSocket. `receive` reads messages up to the next event of a kind. */
const connectTo = async (query: string, recorder: Recorder) => {
  const client = await recorder.open(ClockClient, '/ws', query);
  const send = async (command: object): Promise<Response> => {
    const response = await client.send(command);
    recorder.said('/ws', query, { id: response.id, command });
    return response;
  };
  return {
    client,
    send,
    succeed: async (type: string, parameters: object): Promise<void> => {
      const { error } = await send({ type, ...parameters });
      expect(error, type).to.equal(null);
    },
    fail: async (expected: string, type: string, parameters: object): Promise<void> => {
      const { code, error } = await send({ type, ...parameters });
      expect(code, `${type}: ${error}`).to.equal(expected);
    },
    receive: (wanted: string) => client.next(({ event }) => event === wanted),
  };
};

type Session = Awaited<ReturnType<typeof connectTo>>;

const actsOf = ({ control }: Stage) => ({
  withFault: withFaultOf(control),
  behave: (address: string, body: object) => control.succeed('behave', { parameters: { address }, body }),
  act: (address: string, body: object) => control.succeed('act', { parameters: { address }, body }),
});

/** The tone of an upload. */
const upload = (data: Buffer) => ({ offset: 0, data: data.toString('base64'), last: true, format: 'wav' });
const TONE = upload(wav({ rate: 8000, bits: 8 }, sine(8000, 0.1)));

const address = CLOCK;
const parameters = { address };

/** Commands and events of a connected clock. */
const walkSession = async (stage: Stage, { succeed, receive }: Session, plain: Session): Promise<void> => {
  const { recorder } = stage.clock;
  const { act, behave } = actsOf(stage);

  await succeed('connect', { address });
  for (const subscribe of [succeed, plain.succeed]) await subscribe('subscribe_events', { address });
  await succeed('sync_time', { address });
  await receive('ack');
  await succeed('set_alarm', { address, ...ALARM });
  await succeed('change_alarm', { address, slot: ALARM.slot, days: { saturday: true, sunday: false } });
  await succeed('read_alarms', { address });
  await recorder.succeed('alarms', { parameters });
  await succeed('delete_alarm', { address, slot: 0 });
  await succeed('read_settings', { address });
  await succeed('write_settings', { address, settings: { volume: 4, night_start: '22:00' } });
  await recorder.succeed('settings', { parameters });
  await succeed('set_brightness', { address, value: 50 });
  await succeed('preview_ringtone', { address, volume: 2 });
  await succeed('read_firmware', { address });
  await recorder.succeed('firmware', { parameters });
  await succeed('read_battery', { address });
  await recorder.succeed('battery', { parameters });
  await recorder.succeed('devices');
  await succeed('upload_ringtone', { address, ...TONE });
  await receive('upload_progress');
  await act(address, { type: 'sensors', temperature: 22.5, humidity: 41 });
  await receive('sensor_update');
  await recorder.succeed('sensors', { parameters });
  await behave(address, { battery_service: 'true' });
  await act(address, { type: 'battery', level: 73 });
  await receive('battery_level');
};

/** The clocks that the server remembers. */
const walkMemory = async (
  { clock: { recorder }, forgetful }: Stage,
  { succeed, fail }: Session,
): Promise<void> => {
  await succeed('set_label', { address, label: 'Bedroom' });
  await succeed('keep_connected', { address, keep_connected: false });
  await recorder.succeed('clocks');
  await recorder.succeed('history', {
    parameters: { ...parameters, from: '2026-03-01T07:30:00Z', to: '2026-03-01T08:30:00Z', step: '3600' },
  });
  await succeed('forget', { address: OTHER_CLOCK });
  await fail('not_connected', 'set_label', { address: ABSENT, label: 'Nobody’s' });
  await recorder.fail('unknown_device', 'history', { parameters: { address: ABSENT } });
  await forgetful.clock.fail('history_unavailable', 'history', { parameters });
};

/** A clock that refuses, is silent, breaks its link, or is not connected. */
const failSession = async (
  stage: Stage,
  { succeed, fail, receive }: Session,
  plain: Session,
): Promise<void> => {
  const { recorder, time, radioClock } = stage.clock;
  const { act, behave, withFault } = actsOf(stage);

  await behave(address, { refused_commands: ['set_time'] });
  await fail('command_refused', 'sync_time', { address });
  await behave(address, { silent_commands: ['read_firmware'] });
  const unanswered = fail('answer_timeout', 'read_firmware', { address });
  await time.pass(CLOCK_LIMITS.answer);
  await unanswered;
  await behave(address, {});
  await receive('reconnected');

  await fail('bad_tone', 'upload_ringtone', { address, ...upload(Buffer.from('no tone')) });

  await withFault({ type: 'silence', device: CLOCK, opcode: 'Write Response', times: 1 }, async () => {
    const silent = fail('timeout', 'read_firmware', { address });
    await radioClock.pass(LIMITS.gatt);
    await silent;
  });
  await receive('disconnected');
  await receive('reconnected');
  await withFault({ type: 'link_loss', device: CLOCK, opcode: 'Write Response', times: 1 }, () =>
    fail('link_lost', 'read_firmware', { address }),
  );
  await receive('reconnected');

  await succeed('disconnect', { address });
  await act(address, { type: 'sensors', temperature: 19.5, humidity: 50 });
  await receive('advertisement');
  await fail('not_connected', 'read_firmware', { address });
  await plain.send({ type: 'read_firmware', address });
  await recorder.fail('not_connected', 'firmware', { parameters });

  await behave(address, { mtu: 23 });
  await succeed('connect', { address });
  await fail('mtu_too_small', 'upload_ringtone', { address, ...TONE });
  await succeed('unsubscribe_events', { address });
  await succeed('disconnect', { address });
  await behave(address, {});
};

/** Clocks that cannot be connected, and an adapter that is busy or off. */
const failElsewhere = async (stage: Stage, { send, succeed, fail }: Session): Promise<void> => {
  const { clock, control } = stage;
  const { recorder, time, radio, folder } = clock;
  const { withFault } = actsOf(stage);

  const absent = fail('device_not_found', 'connect', { address: ABSENT });
  await time.pass(CLOCK_LIMITS.find);
  await absent;
  const wrong = fail('not_a_clock', 'connect', { address: THIRD_DIE });
  await time.pass(NO_READING_MS);
  await wrong;
  await control.succeed('add', { body: { kind: 'dice', address: NAMELESS, name: '' } });
  const heard = received(radio, [NAMELESS], [() => true]);
  const nameless = fail('gatt_failed', 'connect', { address: NAMELESS });
  await heard;
  await time.pass(NO_READING_MS);
  await nameless;
  await control.succeed('remove', { parameters: { address: NAMELESS } });
  await fail('auth_failed', 'connect', { address: BOUND_CLOCK });
  await withFault(
    { type: 'refused_command', device: ADAPTER, opcode: 'LE Create Connection', status: 0x1f },
    () => fail('connect_failed', 'connect', { address: OTHER_CLOCK }),
  );
  const aside = `${folder}-aside`;
  await rename(folder, aside);
  await writeFile(folder, '');
  await fail('token_store', 'connect', { address: OTHER_CLOCK });
  await rm(folder);
  await rename(aside, folder);

  await succeed('connect', { address: OTHER_CLOCK });
  await succeed('connect', { address });
  await fail('link_limit', 'connect', { address: BOUND_CLOCK });
  await withFault(
    { type: 'corrupt', device: OTHER_CLOCK, stage: 'acl_from_host', opcode: 'Read Response', times: 1 },
    () => fail('bad_answer', 'read_battery', { address: OTHER_CLOCK }),
  );
  for (const one of [address, OTHER_CLOCK]) await succeed('disconnect', { address: one });

  const scans = Array.from({ length: TOO_MANY }, () => send({ type: 'scan', duration_secs: 2 }));
  expect(await Promise.race(scans)).to.include({ code: 'too_many_requests' });
  await time.pass(2_000);
  await Promise.all(scans);

  await turnOff(control, ADAPTER, radio);
  await recorder.fail('not_ready', 'ready');
  await fail('adapter_off', 'scan', { duration_secs: 1 });
  await turnOn(control, ADAPTER, clock);
};

export const walkClock = async (stage: Stage): Promise<void> => {
  const { recorder, time, radio } = stage.clock;
  const full = await connectTo(FULL, recorder);
  const plain = await connectTo('', recorder);
  const reader = await connectTo(`${FULL}&access_token=${TOKENS.read}`, recorder.with());
  await (await connectTo('?since=41&instance=another', recorder)).receive('events_missed');

  await recorder.succeed('health');
  await recorder.succeed('ready');
  const scanned = full.succeed('scan', { duration_secs: 1 });
  await time.armed(1000);
  await received(radio, [CLOCK, OTHER_CLOCK, BOUND_CLOCK], [aName, aReading]);
  await time.pass(1000);
  await scanned;

  await reader.fail('forbidden', 'connect', { address });

  await walkSession(stage, full, plain);
  await walkMemory(stage, full);
  await failSession(stage, full, plain);
  await failElsewhere(stage, full);
  await full.client.ask('{', 0);
  await full.client.ask('{"id": 1000}', 1000);
  for (const [type, { access }] of Object.entries(commands))
    expect(await reader.client.send({ type })).to.include({
      code: access === 'full' ? 'forbidden' : 'invalid_input',
    });
};
