/** Calls every operation of the dice server, and provokes every event. */
import { expect } from 'chai';
import { LIMITS } from '../support/bluetooth-fixture.js';
import { aName, received, turnOff, turnOn, withFaultOf } from './air.js';
import { textIn } from './recorder.js';
import {
  ABSENT,
  CLOCK,
  DICE_LIMITS,
  DIE,
  NAMELESS,
  OTHER_DIE,
  PIXELS,
  THIRD_DIE,
  type Stage,
} from './stage.js';

const ADAPTER = 'hci0';

/** More commands than one die may have under way. */
const TOO_MANY = 65;

/** The session of the walk. `receive` reads events up to the next of a kind. */
interface Session {
  readonly session_id: string;
  readonly receive: (kind: string) => Promise<unknown>;
}

const inBody = (address: string, body: object = {}) => ({ parameters: { address }, body });

/** Scans, and connects to a die. */
const begin = async ({ dice: { recorder, time, radio } }: Stage): Promise<Session> => {
  await recorder.succeed('health');
  await recorder.succeed('ready');
  const scanned = recorder.succeed('scan', { parameters: { duration_secs: '0.5' } });
  await time.armed(500);
  await received(radio, [DIE, OTHER_DIE, THIRD_DIE], [aName]);
  await time.pass(500);
  expect((await scanned).body).to.have.length(3);

  const connected = await recorder.succeed('connect', { body: { address: DIE, dice_type: 'd6' } });
  const events = await recorder.listen('/ws', '?detail=full');
  await recorder.listen('/ws');
  const late = await recorder.listen('/ws', '?since=41&instance=another');
  await late.next(({ kind }) => kind === 'EventsMissed');
  return {
    session_id: textIn(connected, 'session_id') ?? '',
    receive: (wanted) => events.next(({ kind }) => kind === wanted),
  };
};

/** Commands and events of a session. */
const walkSession = async (
  { dice: { recorder }, control }: Stage,
  { session_id, receive }: Session,
): Promise<void> => {
  const parameters = { session_id };
  const act = (action: object) => control.succeed('act', inBody(DIE, action));

  await recorder.succeed('led', { body: { session_id, led1: '#ff8000', led2: '0000FF' } });
  await recorder.succeed('taps', { body: { session_id, single: true, double: true } });
  await recorder.succeed('calibrate', { body: { session_id } });
  await recorder.succeed('battery', { parameters });
  await recorder.succeed('status', { parameters });
  await recorder.succeed('sessions');

  for (const [ending, kind] of [
    ['stable', 'Stable'],
    ['tilt', 'TiltStable'],
    ['fake', 'FakeStable'],
    ['move', 'MoveStable'],
  ] as const) {
    await act({ type: 'roll', face: 3, ending, roll_ms: 0 });
    await receive(kind);
  }
  await recorder.succeed('roll', inBody(DIE, { face: 5 }));
  await receive('Stable');
  await recorder.fail('unknown_device', 'roll', inBody(ABSENT));
  await act({ type: 'tap' });
  await receive('Tap');
  await act({ type: 'double_tap' });
  await receive('DoubleTap');
  await act({ type: 'charge', on: true });
  await receive('Charging');
  await act({ type: 'charge', on: false });
  await act({ type: 'notify', hex: '42617449' });
  await receive('BatteryLevel');
};

/** The memory of the server: the rolled die, and a die without a session. */
const walkMemory = async ({ dice: { recorder }, forgetful }: Stage): Promise<void> => {
  const ofDie = { address: DIE };
  await recorder.succeed('setDie', inBody(DIE, { label: 'Grandma’s die', keep_connected: false }));
  await recorder.succeed('dice');
  await recorder.succeed('rolls', { parameters: { ...ofDie, limit: '3' } });
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    const { mediaType } = await recorder.send('rolls', {}, { headers: { accept } });
    expect(mediaType).to.equal(accept);
  }
  await recorder.succeed('statistics', { parameters: ofDie });
  await recorder.succeed('forgetRolls', { parameters: { ...ofDie, to: '2026-03-01T08:00:00+01:00' } });
  await recorder.succeed('forgetDie', { parameters: { address: OTHER_DIE } });
  await recorder.fail('unknown_device', 'setDie', inBody(ABSENT, { label: 'Nobody’s' }));
  for (const operation of ['forgetDie', 'statistics'])
    await recorder.fail('unknown_device', operation, { parameters: { address: ABSENT } });
  await forgetful.dice.fail('history_unavailable', 'rolls');
};

/** A die that does not answer, breaks its link, or leaves. */
const failSession = async ({ dice, control }: Stage, { session_id, receive }: Session): Promise<void> => {
  const { recorder, time, radioClock } = dice;
  const parameters = { session_id };
  const act = (action: object) => control.succeed('act', inBody(DIE, action));
  const behave = (behaviour: object) => control.succeed('behave', inBody(DIE, behaviour));
  const withFault = withFaultOf(control);

  await behave({ silent_opcodes: ['03'] });
  const unanswered = recorder.fail('answer_timeout', 'battery', { parameters });
  await time.pass(DICE_LIMITS.answer);
  await unanswered;
  await behave({});
  await receive('Reconnected');
  await recorder.succeed('pulse', {
    body: { session_id, count: 3, on_ms: 200, off_ms: 100, color: '00FF00', leds: 'led1' },
  });

  await act({ type: 'roll', roll_ms: 3_600_000 });
  await receive('RollStart');
  const still = Array.from({ length: TOO_MANY }, () => recorder.call('calibrate', { body: { session_id } }));
  expect(textIn(await Promise.race(still), 'code')).to.equal('too_many_requests');
  await time.pass(DICE_LIMITS.calibrate);
  expect(textIn((await Promise.all(still))[0] ?? { body: {} }, 'code')).to.equal('calibration_failed');
  await act({ type: 'turn', face: 1 });

  await withFault({ type: 'silence', device: DIE, opcode: 'Write Response', times: 1 }, async () => {
    const silent = recorder.fail('timeout', 'pulse', {
      body: { session_id, count: 1, on_ms: 10, off_ms: 10, color: 'FFFFFF' },
    });
    await radioClock.pass(LIMITS.gatt);
    await silent;
    await receive('Disconnected');
  });
  await receive('Reconnected');

  await withFault({ type: 'link_loss', device: DIE, opcode: 'Write Response', times: 1 }, () =>
    recorder.fail('link_lost', 'led', { body: { session_id, led1: 'FF0000' } }),
  );
  await receive('Reconnected');

  await control.succeed('place', inBody(DIE, { in_range: false }));
  await receive('Disconnected');
  await recorder.fail('not_connected', 'led', { body: { session_id, led1: 'FF0000' } });
  await control.succeed('place', inBody(DIE, { rssi: -60, in_range: true }));
  await receive('Reconnected');
};

/** Dice that cannot be connected, an adapter that is off, and sessions that do not exist. */
const failElsewhere = async ({ dice, control }: Stage, { receive }: Session): Promise<void> => {
  const { recorder, time, radio } = dice;
  const withFault = withFaultOf(control);

  const absent = recorder.fail('device_not_found', 'connect', { body: { address: ABSENT } });
  await time.pass(DICE_LIMITS.scan);
  await absent;
  await recorder.fail('not_a_die', 'connect', { body: { address: CLOCK } });
  await control.succeed('add', { body: { kind: 'clock', address: NAMELESS, name: '' } });
  const heard = received(radio, [NAMELESS], [() => true]);
  const nameless = recorder.fail('gatt_failed', 'connect', { body: { address: NAMELESS } });
  await heard;
  await time.pass(DICE_LIMITS.scan);
  await nameless;
  await control.succeed('remove', { parameters: { address: NAMELESS } });
  await withFault(
    { type: 'refused_command', device: ADAPTER, opcode: 'LE Create Connection', status: 0x1f },
    () => recorder.fail('connect_failed', 'connect', { body: { address: OTHER_DIE } }),
  );
  const other = textIn(
    await recorder.succeed('connect', { body: { address: OTHER_DIE, dice_type: 'd6' } }),
    'session_id',
  );
  await recorder.fail('link_limit', 'connect', { body: { address: THIRD_DIE } });
  await recorder.succeed('disconnect', { body: { session_id: other } });

  await control.succeed('add', { body: { kind: 'pixels', address: PIXELS, die: 'd20' } });
  await recorder.fail('wrong_dice_type', 'connect', { body: { address: PIXELS, dice_type: 'd6' } });
  const pixels = textIn(await recorder.succeed('connect', { body: { address: PIXELS } }), 'session_id');
  await recorder.fail('wrong_dice_type', 'setDie', inBody(PIXELS, { dice_type: 'd6' }));
  await recorder.fail('not_supported', 'calibrate', { body: { session_id: pixels } });
  await recorder.succeed('disconnect', { body: { session_id: pixels } });
  await control.succeed('remove', { parameters: { address: PIXELS } });

  await turnOff(control, ADAPTER, radio);
  await recorder.fail('not_ready', 'ready');
  await recorder.fail('adapter_off', 'scan');
  await turnOn(control, ADAPTER, dice);
  await receive('Reconnected');

  const ofAbsent = { session_id: 'gone' };
  for (const [operation, body] of Object.entries({
    disconnect: {},
    led: { led1: 'FF0000' },
    pulse: { count: 1, on_ms: 10, off_ms: 10, color: 'FFFFFF' },
    taps: { single: true },
    calibrate: {},
  })) {
    await recorder.fail('session_not_found', operation, { body: { ...ofAbsent, ...body } });
  }
  for (const operation of ['battery', 'status']) {
    await recorder.fail('session_not_found', operation, { parameters: ofAbsent });
  }
};

export const walkDice = async (stage: Stage): Promise<void> => {
  const session = await begin(stage);
  for (const walk of [walkSession, walkMemory, failSession, failElsewhere]) await walk(stage, session);
};
