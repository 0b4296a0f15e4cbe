/** Sends every command of the clock server and calls every operation, and has it send every event. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Advertisement } from '../../src/ble/ports.js';
import { READING_SERVICE_DATA } from '../../src/protocols/cgd1/index.js';
import { LIMITS } from '../support/bluetooth-fixture.js';
import { ClockClient, type Response } from '../../simulators/testing/internal/clock-client.js';
import { sine, wav } from '../support/wav.js';
import { aName, received, turnOff, turnOn, withFaultOf } from './air.js';
import {
  ABSENT,
  NAMELESS,
  BOUND_CLOCK,
  CLOCK,
  CLOCK_LIMITS,
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

const eventIn = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'event' in message ? message.event : undefined;

export const walkClock = async ({ clock: staged, control }: Stage): Promise<void> => {
  const { recorder, time, radio, radioClock, folder } = staged;
  const withFault = withFaultOf(control);
  const behave = (address: string, behaviour: object) =>
    control.succeed('behave', { parameters: { address }, body: behaviour });
  const act = (address: string, action: object) =>
    control.succeed('act', { parameters: { address }, body: action });

  const connectTo = async (query: string, from = recorder) => {
    const client = await from.open(ClockClient, '/ws', query);
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
      fail: async (wanted: string, type: string, parameters: object): Promise<void> => {
        const { code, error } = await send({ type, ...parameters });
        expect(code, `${type}: ${error}`).to.equal(wanted);
      },
      receive: async (wanted: string): Promise<void> => {
        while (eventIn(await client.next()) !== wanted);
      },
    };
  };
  const full = await connectTo(FULL);
  const plain = await connectTo('');
  const reader = await connectTo(`${FULL}&access_token=${TOKENS.read}`, recorder.with());
  await (await connectTo('?since=41&instance=another')).receive('events_missed');
  const { succeed, fail, receive } = full;
  const address = CLOCK;
  const parameters = { address };

  await recorder.succeed('health');
  await recorder.succeed('ready');
  const scanned = succeed('scan', { duration_secs: 1 });
  await time.armed(1000);
  await received(radio, [CLOCK, OTHER_CLOCK, BOUND_CLOCK], [aName, aReading]);
  await time.pass(1000);
  await scanned;

  await reader.fail('forbidden', 'connect', { address });
  await succeed('connect', { address });
  for (const { succeed: subscribed } of [full, plain]) await subscribed('subscribe_events', { address });
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
  const tone = wav({ rate: 8000, bits: 8 }, sine(8000, 0.1)).toString('base64');
  await succeed('upload_ringtone', { address, offset: 0, data: tone, last: true, format: 'wav' });
  await receive('upload_progress');
  await act(address, { type: 'sensors', temperature: 22.5, humidity: 41 });
  await receive('sensor_update');
  await recorder.succeed('sensors', { parameters });
  await behave(address, { battery_service: 'true' });
  await act(address, { type: 'battery', level: 73 });
  await receive('battery_level');

  await behave(address, { refused_commands: ['set_time'] });
  await fail('command_refused', 'sync_time', { address });
  await behave(address, { silent_commands: ['read_firmware'] });
  const unanswered = fail('answer_timeout', 'read_firmware', { address });
  await time.pass(CLOCK_LIMITS.answer);
  await unanswered;
  await behave(address, {});
  await receive('reconnected');

  const garbage = Buffer.from('no tone').toString('base64');
  await fail('bad_tone', 'upload_ringtone', { address, offset: 0, data: garbage, last: true, format: 'wav' });

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
  await fail('mtu_too_small', 'upload_ringtone', {
    address,
    offset: 0,
    data: tone,
    last: true,
    format: 'wav',
  });
  await succeed('unsubscribe_events', { address });
  await succeed('disconnect', { address });
  await behave(address, {});

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

  const scans = Array.from({ length: TOO_MANY }, () => full.send({ type: 'scan', duration_secs: 2 }));
  expect(await Promise.race(scans)).to.include({ code: 'too_many_requests' });
  await time.pass(2_000);
  await Promise.all(scans);

  await turnOff(control, ADAPTER, radio);
  await recorder.fail('not_ready', 'ready');
  await fail('adapter_off', 'scan', { duration_secs: 1 });
  await turnOn(control, ADAPTER, { radio, radioClock });

  await full.client.ask('{', 0);
  await full.client.ask('{"id": 1000}', 1000);
};
