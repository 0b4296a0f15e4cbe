import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  Days,
  RINGTONES,
  audioBlocks,
  channelOf,
  encodeCommand,
  encodeNotification,
  encodeSettings,
  padAudio,
  type Alarm,
  type Channel,
  type Command,
  type Settings,
} from '../../src/protocols/cgd1/index.js';
import { FACTORY_RECORD, FACTORY_TIME } from '../../simulators/devices/cgd1/factory.js';
import { clockJson } from '../../simulators/devices/cgd1/json.js';
import { ClockModel } from '../../simulators/devices/cgd1/model.js';
import type { ClockStart } from '../../simulators/devices/cgd1/state.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/cgd1/behaviour.js';
import { manualTime } from '../support/manual-time.js';

const token = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const other = Buffer.alloc(16, 0x5a);

const usual: ClockStart = {
  reading: { temperature: 21.5, humidity: 45 },
  battery: 100,
  firmware: '1.0.1_0130',
  time: FACTORY_TIME,
  token: null,
  alarms: [],
  record: FACTORY_RECORD,
  behaviour: USUAL_BEHAVIOUR,
};

/** A clock without a radio: `notified` returns its notifications, time passes by hand. */
const clockWith = (start: Partial<ClockStart> = {}) => {
  const time = manualTime(1_000_000);
  const said: (readonly [Channel, string])[] = [];
  const events: JsonRecord[] = [];
  let drops = 0;
  const clock = new ClockModel(
    { ...usual, ...start },
    {
      time: time,
      notify: (channel, notification) =>
        void said.push([channel, encodeNotification(notification).toString('hex')]),
      dropLink: () => void (drops += 1),
      changed: () => undefined,
      happened: (event) => void events.push(event()),
    },
  );
  const send = (...commands: readonly Command[]): void => {
    for (const command of commands) clock.write(channelOf(command), encodeCommand(command));
  };
  const notified = () => said.splice(0);
  return {
    ...{ clock, time, send, notified, events },
    drops: () => drops,
    /** The same, with its owner on the link. */
    owned: () => {
      send({ _tag: 'AuthInit', token }, { _tag: 'AuthConfirm', token });
      notified();
    },
  };
};

const ownedClock = (start: Partial<ClockStart> = {}) => {
  const fixture = clockWith(start);
  fixture.owned();
  return fixture;
};

const settingsWith = (changes: Partial<Settings>, base = FACTORY_RECORD): Command => ({
  _tag: 'WriteSettings',
  record: encodeSettings(base, changes),
});

const alarmAt = (hour: number, minute: number, others: Partial<Alarm> = {}): Alarm => ({
  ...{ enabled: true, hour, minute, days: Days.everyDay, snooze: false },
  ...others,
});

/** 2024-01-01 was a Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const HOUR = 3600;

describe('clock model: tokens', () => {
  it('belongs to the first token with both steps', () => {
    const { clock, send, notified } = clockWith();
    send({ _tag: 'AuthInit', token });
    expect(clock.state.token).to.equal(null);
    send({ _tag: 'AuthConfirm', token });
    expect(notified()).to.deep.equal([
      ['auth', '04ff010002'],
      ['auth', '04ff020000'],
    ]);
    expect(clock.state).to.deep.include({ token, authenticated: true });
  });

  it('does not bind a token that was not offered, or another one than was', () => {
    const { clock, send, notified } = clockWith();
    send({ _tag: 'AuthConfirm', token });
    send({ _tag: 'AuthInit', token }, { _tag: 'AuthConfirm', token: other });
    expect(notified().map(([, hex]) => hex)).to.deep.equal(['04ff020101', '04ff010002', '04ff020101']);
    expect(clock.state).to.deep.include({ token: null, authenticated: false });
  });

  it('knows its owner by the second step alone, once for each link', () => {
    const { clock, send, notified } = clockWith({ token });
    send({ _tag: 'AuthConfirm', token }, { _tag: 'ReadFirmware' });
    expect(notified()).to.have.length(2);
    clock.linkEnded();
    expect(clock.state.authenticated).to.be.false;
    send({ _tag: 'ReadFirmware' });
    expect(notified()).to.deep.equal([]);
  });

  const wrong = [
    { mode: 'silence', confirmed: '04ff020000', answers: 0, drops: 0 },
    { mode: 'drop', confirmed: '04ff020000', answers: 0, drops: 1 },
    { mode: 'reject', confirmed: '04ff020101', answers: 0, drops: 0 },
    { mode: 'accept', confirmed: '04ff020000', answers: 1, drops: 0 },
  ] as const;
  for (const { mode, confirmed, answers, drops } of wrong) {
    it(`handles another token as configured: ${mode}`, () => {
      const fixture = clockWith({ token, behaviour: { ...USUAL_BEHAVIOUR, wrong_token: mode } });
      fixture.send({ _tag: 'AuthInit', token: other }, { _tag: 'AuthConfirm', token: other });
      expect(fixture.notified()).to.deep.equal([
        ['auth', '04ff010002'],
        ['auth', confirmed],
      ]);
      fixture.send({ _tag: 'ReadSettings' });
      expect(fixture.notified()).to.have.length(answers);
      expect(fixture.drops()).to.equal(drops);
      expect(fixture.clock.state.token).to.deep.equal(token);
    });
  }

  it('executes no command without a token', () => {
    const { clock, send, notified } = clockWith();
    send({ _tag: 'SetTime', seconds: 1 }, { _tag: 'SetBrightness', brightness: 20 });
    send({ _tag: 'DeleteAlarm', slot: 0 }, { _tag: 'ReadAlarms' }, { _tag: 'ReadFirmware' });
    expect(notified()).to.deep.equal([]);
    expect(clock.state.time).to.equal(FACTORY_TIME);
  });
});

describe('clock model: time and firmware', () => {
  it('runs from the time that was set', () => {
    const { clock, send, notified, time } = ownedClock();
    send({ _tag: 'SetTime', seconds: MONDAY / 1000 });
    expect(notified()).to.deep.equal([['auth', '04ff090000']]);
    time.advance(90_000);
    expect(clockJson(clock.state)).to.include({ time: '2024-01-01T00:01:30.000Z' });
  });

  it('sends its firmware in both forms', () => {
    const { clock, send, notified } = ownedClock();
    send({ _tag: 'ReadFirmware' });
    clock.setBehaviour({ ...USUAL_BEHAVIOUR, firmware_form: 'length' });
    send({ _tag: 'ReadFirmware' });
    expect(notified()).to.deep.equal([
      ['auth', '0b0d312e302e315f30313330'],
      ['auth', '0b0a312e302e315f30313330'],
    ]);
  });
});

describe('clock model: settings', () => {
  it('reads as it was written, bytes without a meaning included', () => {
    const { send, notified } = ownedClock();
    const odd = Buffer.from('05ffffe9370f25160007000101ffea2d4c02', 'hex');
    send({ _tag: 'WriteSettings', record: odd }, { _tag: 'ReadSettings' });
    expect(notified()).to.deep.equal([
      ['data', '04ff010000'],
      ['data', `1302${odd.toString('hex')}`],
    ]);
  });

  it('keeps unusual settings', () => {
    const { clock, send, notified } = ownedClock();
    const record = Buffer.alloc(18, 0xff);
    send({ _tag: 'WriteSettings', record });
    expect(notified()).to.deep.equal([['data', '04ff010000']]);
    expect(clock.state.record).to.deep.equal(record);
    expect(clockJson(clock.state)).to.have.property('settings').that.includes({
      volume: 255,
      night_start: '255:255',
    });
    expect(clock.state.brightnessNow).to.equal(150);
  });

  for (const [form, hex] of [
    ['both', '04ff010101'],
    ['x', '04ff010100'],
    ['y', '04ff010001'],
  ] as const) {
    it(`reports a failure in the form ${form}`, () => {
      const { send, notified } = ownedClock({
        behaviour: { ...USUAL_BEHAVIOUR, ack_form: form, refused_commands: ['WriteSettings'] },
      });
      send({ _tag: 'WriteSettings', record: FACTORY_RECORD });
      expect(notified()).to.deep.equal([['data', hex]]);
    });
  }

  it('dims at night, in its own time zone', () => {
    const { clock, send } = ownedClock({ time: MONDAY + 20 * HOUR * 1000 });
    expect(clock.state.brightnessNow).to.equal(100);
    send(settingsWith({ timezone_offset_minutes: 120 }));
    expect(clock.state.brightnessNow).to.equal(50);
    clock.advance(9 * HOUR - 1);
    expect(clock.state.brightnessNow).to.equal(50);
    clock.advance(1);
    expect(clock.state.brightnessNow).to.equal(100);
  });

  it('has no night without night mode', () => {
    const { clock, send } = ownedClock({ time: MONDAY });
    send(settingsWith({ night_mode_enabled: false }));
    expect(clock.state.brightnessNow).to.equal(100);
  });

  for (const [start, end, hours] of [
    [22, 7, [0, 1, 2, 3, 4, 5, 6, 22, 23]],
    [8, 10, [8, 9]],
    [8, 8, []],
  ] as const) {
    it(`has a night from ${start} to ${end} o'clock, the end left out`, () => {
      const { clock, send } = ownedClock({ time: MONDAY });
      send(settingsWith({ night_start: { hour: start, minute: 0 }, night_end: { hour: end, minute: 0 } }));
      const dim: number[] = [];
      for (let hour = 0; hour < 24; hour++) {
        if (clock.state.brightnessNow === 50) dim.push(hour);
        clock.advance(HOUR);
      }
      expect(dim).to.deep.equal(hours);
    });
  }

  it('shows brightness immediately, until it is night or settings are written', () => {
    const { clock, send, notified } = ownedClock({ time: MONDAY + 12 * HOUR * 1000 });
    send({ _tag: 'SetBrightness', brightness: 30 });
    expect(notified()).to.deep.equal([['data', '04ff030000']]);
    expect(clock.state.brightnessNow).to.equal(30);
    expect(clock.state.record).to.deep.equal(FACTORY_RECORD);
    clock.advance(11 * HOUR);
    expect(clock.state.brightnessNow).to.equal(50);
    send({ _tag: 'SetBrightness', brightness: 0 });
    expect(clock.state.brightnessNow).to.equal(0);
    send(settingsWith({ night_brightness: 20 }));
    expect(clock.state.brightnessNow).to.equal(20);
  });

  it('plays a preview for a while, at the given volume', () => {
    const { clock, send, notified, time, events } = ownedClock();
    send({ _tag: 'PreviewRingtone', volume: null }, { _tag: 'PreviewRingtone', volume: 5 });
    expect(notified()).to.deep.equal([
      ['data', '04ff040000'],
      ['data', '04ff040000'],
    ]);
    expect(events).to.deep.equal([
      { type: 'preview', volume: 3 },
      { type: 'preview', volume: 5 },
    ]);
    expect(clock.state.previewing).to.be.true;
    time.advance(10_000);
    expect(clock.state.previewing).to.be.false;
  });
});

describe('clock model: alarms', () => {
  it('sends all slots in six packets of three, with padding', () => {
    const { send, notified } = ownedClock();
    send({ _tag: 'SetAlarm', slot: 4, alarm: alarmAt(7, 30, { days: Days.weekdays }) });
    send({ _tag: 'SetAlarm', slot: 15, alarm: alarmAt(23, 59, { enabled: false, snooze: true }) });
    send({ _tag: 'ReadAlarms' });
    const empty = 'ff'.repeat(15);
    expect(notified()).to.deep.equal(
      [
        '04ff050000',
        '04ff050000',
        `110600${empty}`,
        '110603ffffffffff01071e1f00ffffffffff',
        `110606${empty}`,
        `110609${empty}`,
        `11060c${empty}`,
        '11060f00173b7f01ffffffffffffffffffff',
      ].map((hex) => ['data', hex]),
    );
  });

  it('forgets an alarm that is deleted, and acknowledges an empty slot too', () => {
    const { clock, send, notified } = ownedClock({ alarms: [alarmAt(7, 30)] });
    send({ _tag: 'DeleteAlarm', slot: 0 }, { _tag: 'DeleteAlarm', slot: 7 });
    expect(notified()).to.have.length(2);
    expect(clock.state.alarms.every((alarm) => alarm === null)).to.be.true;
  });

  it('keeps packets back if that is its behaviour', () => {
    const { send, notified } = ownedClock({ behaviour: { ...USUAL_BEHAVIOUR, alarm_packets: 5 } });
    send({ _tag: 'ReadAlarms' });
    expect(notified()).to.have.length(5);
  });

  it('rings at its time for a minute, and sends nothing on the air', () => {
    const { clock, send, notified, time, events } = ownedClock({ time: MONDAY + 7 * HOUR * 1000 });
    send({ _tag: 'SetAlarm', slot: 2, alarm: alarmAt(7, 30) });
    notified();
    time.advance(30 * 60_000 - 1);
    expect(clock.state.ringing).to.equal(null);
    time.advance(1);
    expect(clock.state.ringing).to.equal(2);
    expect(events).to.deep.equal([{ type: 'ringing', slot: 2, ringtone: RINGTONES.Beep, volume: 3 }]);
    time.advance(60_000);
    expect(clock.state.ringing).to.equal(null);
    expect(notified()).to.deep.equal([]);
  });

  it('rings on its days only, in its own time zone', () => {
    const { clock, send, events } = ownedClock({ time: MONDAY });
    send(settingsWith({ timezone_offset_minutes: -60 }));
    send({ _tag: 'SetAlarm', slot: 0, alarm: alarmAt(23, 30, { days: Days.sunday }) });
    clock.advance(HOUR / 2);
    expect(events).to.have.length(1);
    clock.advance(7 * 24 * HOUR - 1);
    expect(events).to.have.length(1);
    clock.advance(1);
    expect(events).to.have.length(2);
  });

  it('rings everything that falls due when time passes in one step, in order', () => {
    const { clock, events } = clockWith({
      time: MONDAY,
      alarms: [alarmAt(9, 0, { days: Days.tuesday }), alarmAt(8, 0), null, alarmAt(8, 0)],
    });
    clock.advance(34 * HOUR);
    expect(events.map((event) => event['slot'])).to.deep.equal([1, 3, 1, 3, 0]);
  });

  it('rings once if it does not repeat, and is off then', () => {
    const { clock, events } = clockWith({ time: MONDAY, alarms: [alarmAt(8, 0, { days: Days.once })] });
    clock.advance(3 * 24 * HOUR);
    expect(events).to.have.length(1);
    expect(clock.state.alarms[0]).to.deep.equal(alarmAt(8, 0, { days: Days.once, enabled: false }));
  });

  it('switches off no other that does not repeat', () => {
    const once = { days: Days.once };
    const { clock, events } = clockWith({ time: MONDAY, alarms: [alarmAt(8, 0, once), alarmAt(9, 0, once)] });
    clock.advance(8 * HOUR);
    expect(events).to.have.length(1);
    expect(clock.state.alarms[1]).to.deep.equal(alarmAt(9, 0, once));
    clock.advance(HOUR);
    expect(events).to.have.length(2);
  });

  it('is silent when an alarm is off, or all of them', () => {
    const { clock, send, events } = ownedClock({
      time: MONDAY,
      alarms: [alarmAt(8, 0, { enabled: false }), alarmAt(9, 0)],
    });
    send(settingsWith({ alarms_enabled: false }));
    clock.advance(24 * HOUR);
    expect(events).to.deep.equal([]);
  });

  it('does not ring for what a new time leaps over', () => {
    const { send, time, events } = ownedClock({ time: MONDAY, alarms: [alarmAt(8, 0)] });
    send({ _tag: 'SetTime', seconds: MONDAY / 1000 + 9 * HOUR });
    time.advance(22 * HOUR * 1000);
    expect(events).to.deep.equal([]);
    time.advance(HOUR * 1000);
    expect(events).to.have.length(1);
  });

  it('is quiet at the press of the button', () => {
    const { clock } = clockWith({ time: MONDAY, alarms: [alarmAt(0, 1)] });
    clock.advance(60);
    expect(clock.state.ringing).to.equal(0);
    clock.press(0.2);
    expect(clock.state.ringing).to.equal(null);
  });
});

describe('clock model: uploads', () => {
  const audio = padAudio(Buffer.alloc(700, 0x80));
  const blocks: readonly Command[] = audioBlocks(audio).map((data) => ({ _tag: 'AudioBlock', data }));
  const begin: Command = { _tag: 'AudioInit', size: audio.length, signature: 'deaddead' };

  it('acknowledges every fourth block and the last, and plays the tone once settings name it', () => {
    const { clock, send, notified } = ownedClock();
    send(begin);
    expect(notified()).to.deep.equal([['data', '04ff100000']]);
    send(...blocks.slice(0, 3));
    expect(notified()).to.deep.equal([]);
    expect(clock.state.upload).to.deep.equal({ signature: 'deaddead', size: 1024, received: 384 });
    send(...blocks.slice(3));
    expect(notified()).to.deep.equal([
      ['data', '04ff080000'],
      ['data', '04ff080000'],
    ]);
    expect(clock.state).to.deep.include({ upload: null, ringtone: RINGTONES.Beep });
    expect(clock.state.uploaded).to.deep.equal({
      signature: 'deaddead',
      size: 1024,
      sha256: createHash('sha256').update(audio).digest('hex'),
    });
    send(settingsWith({ ringtone: 'deaddead' }));
    expect(clock.state.ringtone).to.equal('deaddead');
  });

  it('acknowledges the last block even if it is not a fourth one', () => {
    const { send, notified } = ownedClock();
    send({ _tag: 'AudioInit', size: 640, signature: 'beefbeef' }, ...blocks.slice(0, 5));
    expect(notified()).to.have.length(3);
  });

  it('keeps the old tone when settings name one that never arrived', () => {
    const { clock, send } = ownedClock();
    send(begin, ...blocks.slice(0, 4), settingsWith({ ringtone: 'deaddead' }));
    expect(clock.state).to.deep.include({ ringtone: RINGTONES.Beep, uploaded: null, upload: null });
    expect(clock.state.settings.ringtone).to.equal('deaddead');
  });

  it('refuses the signature in use, an empty tone and one too long', () => {
    const { send, notified } = ownedClock({
      record: encodeSettings(FACTORY_RECORD, { ringtone: 'deaddead' }),
    });
    send(begin);
    send({ _tag: 'AudioInit', size: 0, signature: 'beefbeef' });
    send({ _tag: 'AudioInit', size: 98_305, signature: 'beefbeef' });
    send({ _tag: 'AudioInit', size: 98_304, signature: 'beefbeef' });
    expect(notified().map(([, hex]) => hex)).to.deep.equal([
      '04ff100101',
      '04ff100101',
      '04ff100101',
      '04ff100000',
    ]);
  });

  const interruptions: readonly (readonly [string, (fixture: ReturnType<typeof ownedClock>) => void])[] = [
    ['another command', ({ send }) => send({ _tag: 'ReadFirmware' })],
    ['bytes without a meaning', ({ clock }) => clock.write('data', Buffer.from('0142', 'hex'))],
    [
      'the end of the link',
      (fixture) => {
        fixture.clock.linkEnded();
        fixture.owned();
      },
    ],
  ];
  for (const [name, interrupt] of interruptions) {
    it(`is given up for ${name}`, () => {
      const fixture = ownedClock();
      fixture.send(begin, ...blocks.slice(0, 2));
      interrupt(fixture);
      fixture.notified();
      expect(fixture.clock.state.upload).to.equal(null);
      const [block] = blocks.slice(2);
      if (block !== undefined) fixture.send(block);
      expect(fixture.notified()).to.deep.equal([['data', '04ff080101']]);
    });
  }
});

describe('clock model: battery and reading', () => {
  it('reports its battery at 99 %, unless configured to report the real level', () => {
    const { clock } = clockWith();
    clock.setBattery(12);
    expect(clock.state.battery).to.equal(12);
    expect(clock.gattBattery).to.equal(99);
    clock.setBehaviour({ ...USUAL_BEHAVIOUR, battery_service: 'true' });
    expect(clock.gattBattery).to.equal(12);
  });

  it('measures what is changed of its reading', () => {
    const { clock } = clockWith();
    clock.measure({ humidity: 50 });
    expect(clock.state.reading).to.deep.equal({ temperature: 21.5, humidity: 50 });
  });

  it('counts no bytes that are no command', () => {
    const { clock } = clockWith();
    clock.write('data', Buffer.from([1]));
    expect([...clock.state.commands]).to.deep.equal([]);
  });
});

describe('clock model: behaviour and button', () => {
  it('refuses configured commands, and does not execute them', () => {
    const { clock, send, notified } = ownedClock({
      behaviour: { ...USUAL_BEHAVIOUR, refused_commands: ['SetTime'] },
    });
    send({ _tag: 'SetTime', seconds: 5 });
    expect(notified().map(([, hex]) => hex)).to.deep.equal(['04ff090101']);
    expect(clock.state.time).to.equal(FACTORY_TIME);
  });

  it('ignores configured commands', () => {
    const { clock, send, notified } = ownedClock({
      behaviour: { ...USUAL_BEHAVIOUR, silent_commands: ['SetTime'] },
    });
    send({ _tag: 'SetTime', seconds: 5 }, { _tag: 'ReadFirmware' });
    expect(notified()).to.have.length(1);
    expect(clock.state.time).to.equal(FACTORY_TIME);
    expect(clock.state.commands.get('SetTime')).to.equal(1);
  });

  it('responds late if configured, in order, and not after the link', () => {
    const { clock, send, notified, time } = clockWith({
      behaviour: { ...USUAL_BEHAVIOUR, ack_delay_ms: 200 },
    });
    send({ _tag: 'AuthInit', token }, { _tag: 'AuthConfirm', token });
    time.advance(199);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified().map(([, hex]) => hex)).to.deep.equal(['04ff010002', '04ff020000']);
    send({ _tag: 'ReadFirmware' });
    clock.linkEnded();
    time.advance(1000);
    expect(notified()).to.deep.equal([]);
  });

  it('is as new after twelve seconds on the button, and drops its host', () => {
    const fixture = ownedClock({ alarms: [alarmAt(7, 0)] });
    fixture.send(settingsWith({ volume: 5, ringtone: RINGTONES.Cuckoo }));
    fixture.clock.press(11.9);
    expect(fixture.clock.state.token).to.deep.equal(token);
    fixture.clock.press(12);
    expect(fixture.drops()).to.equal(1);
    expect(fixture.clock.state).to.deep.include({
      token: null,
      record: FACTORY_RECORD,
      ringtone: RINGTONES.Beep,
    });
    expect(fixture.clock.state.alarms.some((alarm) => alarm !== null)).to.be.false;
  });

  it('takes any bytes, and holds no timer but those of its alarms', () => {
    const { clock, time, notified } = ownedClock();
    for (const hex of ['', '00', '0142', '07050001071e', '13010000', '810800']) {
      clock.write('data', Buffer.from(hex, 'hex'));
      clock.write('auth', Buffer.from(hex, 'hex'));
    }
    expect(notified()).to.deep.equal([]);
    expect(time.pending).to.equal(0);
  });

  it('leaves no timer behind', () => {
    const { clock, send, time } = ownedClock({ alarms: [alarmAt(7, 0)] });
    send({ _tag: 'PreviewRingtone', volume: 1 });
    clock.setBehaviour({ ...USUAL_BEHAVIOUR, ack_delay_ms: 100 });
    send({ _tag: 'ReadFirmware' });
    expect(time.pending).to.equal(3);
    clock.close();
    expect(time.pending).to.equal(0);
  });
});

describe('clock model: as the control API shows it', () => {
  it('shows everything', () => {
    const { clock, send } = ownedClock({ alarms: [null, alarmAt(7, 5, { days: 31 })] });
    send({ _tag: 'ReadAlarms' });
    expect(clockJson(clock.state)).to.deep.equal({
      temperature: 21.5,
      humidity: 45,
      battery: 100,
      firmware: '1.0.1_0130',
      time: '2020-01-01T00:00:00.000Z',
      alarms: [{ slot: 1, time: '07:05', repeat_mask: 31, enabled: true, snooze: false }],
      settings: {
        volume: 3,
        language: 'en',
        time_format: '24h',
        temperature_unit: 'C',
        alarms_enabled: true,
        timezone_offset_minutes: 0,
        screen_light_secs: 15,
        brightness: 100,
        night_brightness: 50,
        night_mode_enabled: true,
        night_start: '22:00',
        night_end: '07:00',
        ringtone: 'fdc366a5',
      },
      settings_hex: '03580201000fa516000700010100fdc366a5',
      token: '00112233445566778899aabbccddeeff',
      authenticated: true,
      ringtone: 'fdc366a5',
      upload: null,
      uploaded: null,
      brightness_now: 50,
      previewing: false,
      ringing: null,
      commands: { auth_init: 1, auth_confirm: 1, read_alarms: 1 },
      behaviour: {
        wrong_token: 'silence',
        silent_commands: [],
        refused_commands: [],
        ack_delay_ms: 0,
        alarm_packets: 6,
        ack_form: 'both',
        firmware_form: 'echo',
        battery_service: 'constant',
        mtu: 256,
      },
    });
  });
});
