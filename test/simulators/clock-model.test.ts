import { expect } from 'chai';
import { describe, it } from 'mocha';
import { RINGTONES, type Command } from '../../src/protocols/cgd1/index.js';
import { FACTORY_RECORD, FACTORY_TIME } from '../../simulators/devices/cgd1/factory.js';
import { clockJson } from '../../simulators/devices/cgd1/json.js';
import { USUAL_BEHAVIOUR, type ClockBehaviour } from '../../simulators/devices/cgd1/behaviour.js';
import { token, other, clockWith, ownedClock, settingsWith, alarmAt, MONDAY, HOUR } from './clock-scene.js';

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

  it('does not bind a token that was not offered', () => {
    const { clock, send, messages } = clockWith();
    send({ _tag: 'AuthConfirm', token });
    send({ _tag: 'AuthInit', token }, { _tag: 'AuthConfirm', token: other });
    expect(messages()).to.deep.equal(['04ff020101', '04ff010002', '04ff020101']);
    expect(clock.state).to.deep.include({ token: null, authenticated: false });
  });

  it('authenticates its owner by the second step alone, anew on each link', () => {
    const { clock, send, notified } = clockWith({ token });
    send({ _tag: 'AuthConfirm', token }, { _tag: 'ReadFirmware' });
    expect(notified()).to.have.length(2);
    clock.linkEnded();
    expect(clock.state.authenticated).to.be.false;
    send({ _tag: 'ReadFirmware' });
    expect(notified()).to.deep.equal([]);
  });

  for (const { mode, confirmed, answers, drops } of [
    { mode: 'silence', confirmed: '04ff020000', answers: 0, drops: 0 },
    { mode: 'drop', confirmed: '04ff020000', answers: 0, drops: 1 },
    { mode: 'reject', confirmed: '04ff020101', answers: 0, drops: 0 },
    { mode: 'accept', confirmed: '04ff020000', answers: 1, drops: 0 },
  ] as const) {
    it(`handles another token as configured: ${mode}`, () => {
      const fixture = clockWith({ token, behaviour: { ...USUAL_BEHAVIOUR, wrong_token: mode } });
      fixture.send({ _tag: 'AuthInit', token: other }, { _tag: 'AuthConfirm', token: other });
      expect(fixture.messages()).to.deep.equal(['04ff010002', confirmed]);
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

describe('clock model: settings', () => {
  it('runs from the time that was set', () => {
    const { clock, send, notified, time } = ownedClock();
    send({ _tag: 'SetTime', seconds: MONDAY / 1000 });
    expect(notified()).to.deep.equal([['auth', '04ff090000']]);
    time.advance(90_000);
    expect(clockJson(clock.state)).to.include({ time: '2024-01-01T00:01:30.000Z' });
  });

  it('returns its settings as written, with bytes of unknown meaning', () => {
    const { send, messages } = ownedClock();
    const odd = Buffer.from('05ffffe9370f25160007000101ffea2d4c02', 'hex');
    send({ _tag: 'WriteSettings', record: odd }, { _tag: 'ReadSettings' });
    expect(messages()).to.deep.equal(['04ff010000', `1302${odd.toString('hex')}`]);
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

  it('dims at night, in its own time zone, unless night mode is off', () => {
    const { clock, send } = ownedClock({ time: MONDAY + 20 * HOUR * 1000 });
    expect(clock.state.brightnessNow).to.equal(100);
    send(settingsWith({ timezone_offset_minutes: 120, night_mode_enabled: false }));
    expect(clock.state.brightnessNow).to.equal(100);
    send(settingsWith({ timezone_offset_minutes: 120 }));
    expect(clock.state.brightnessNow).to.equal(50);
    clock.advance(9 * HOUR - 1);
    expect(clock.state.brightnessNow).to.equal(50);
    clock.advance(1);
    expect(clock.state.brightnessNow).to.equal(100);
  });

  for (const [start, end, hours] of [
    [22, 7, [0, 1, 2, 3, 4, 5, 6, 22, 23]],
    [8, 10, [8, 9]],
    [8, 8, []],
  ] as const) {
    it(`has a night from ${start} to ${end} o'clock, without the end`, () => {
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

  it('shows a set brightness immediately, until the night begins or settings are written', () => {
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

  it('plays a preview for a while, at the requested volume', () => {
    const { clock, send, messages, time, events } = ownedClock();
    send({ _tag: 'PreviewRingtone', volume: null }, { _tag: 'PreviewRingtone', volume: 5 });
    expect(messages()).to.deep.equal(['04ff040000', '04ff040000']);
    expect(events).to.deep.equal([3, 5].map((volume) => ({ type: 'preview', volume })));
    expect(clock.state.previewing).to.be.true;
    time.advance(10_000);
    expect(clock.state.previewing).to.be.false;
  });
});

describe('clock model: answers by its behaviour', () => {
  const time: Command = { _tag: 'SetTime', seconds: 5 };
  const firmware: Command = { _tag: 'ReadFirmware' };
  const tone: Command = { _tag: 'AudioInit', size: 640, signature: 'beefbeef' };
  const block: Command = { _tag: 'AudioBlock', data: Buffer.alloc(128, 0x80) };
  const refused_commands = ['SetTime'] as const;
  const cases: readonly (readonly [
    string,
    Partial<ClockBehaviour>,
    readonly Command[],
    readonly string[],
  ])[] = [
    ['its firmware', {}, [firmware], ['0b0d312e302e315f30313330']],
    ['its firmware after its length', { firmware_form: 'length' }, [firmware], ['0b0a312e302e315f30313330']],
    ['a refusal', { refused_commands }, [time], ['04ff090101']],
    ['a refusal by its first byte', { refused_commands, ack_form: 'x' }, [time], ['04ff090100']],
    ['a refusal by its second byte', { refused_commands, ack_form: 'y' }, [time], ['04ff090001']],
    [
      'nothing to a silent command',
      { silent_commands: ['SetTime'] },
      [time, firmware],
      ['0b0d312e302e315f30313330'],
    ],
    [
      'the last block of five',
      {},
      [tone, ...Array<Command>(5).fill(block)],
      ['04ff100000', '04ff080000', '04ff080000'],
    ],
    [
      'five packets of alarms',
      { alarm_packets: 5 },
      [{ _tag: 'ReadAlarms' }],
      [0, 3, 6, 9, 12].map((slot) => `1106${slot.toString(16).padStart(2, '0')}${'ff'.repeat(15)}`),
    ],
  ];
  for (const [title, behaviour, commands, messages] of cases) {
    it(`answers ${title}`, () => {
      const { clock, send, messages: sent } = ownedClock({ behaviour: { ...USUAL_BEHAVIOUR, ...behaviour } });
      send(...commands);
      expect(sent()).to.deep.equal(messages);
      expect(clock.state.time).to.equal(FACTORY_TIME);
    });
  }
});

describe('clock model: behaviour and button', () => {
  it('changes only the measured part of its reading, and reports its battery at 99 %, unless configured otherwise', () => {
    const { clock } = clockWith();
    clock.measure({ humidity: 50 });
    clock.setBattery(12);
    expect(clock.state).to.deep.include({ reading: { temperature: 21.5, humidity: 50 }, battery: 12 });
    expect(clock.gattBattery).to.equal(99);
    clock.setBehaviour({ ...USUAL_BEHAVIOUR, battery_service: 'true' });
    expect(clock.gattBattery).to.equal(12);
  });

  it('responds late if configured, in order, and not after the end of the link', () => {
    const { clock, send, messages, time } = clockWith({
      behaviour: { ...USUAL_BEHAVIOUR, ack_delay_ms: 200 },
    });
    send({ _tag: 'AuthInit', token }, { _tag: 'AuthConfirm', token });
    time.advance(199);
    expect(messages()).to.deep.equal([]);
    time.advance(1);
    expect(messages()).to.deep.equal(['04ff010002', '04ff020000']);
    send({ _tag: 'ReadFirmware' });
    clock.linkEnded();
    time.advance(1000);
    expect(messages()).to.deep.equal([]);
  });

  it('resets to its factory state after twelve seconds on the button, and drops its host', () => {
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

  it('accepts any bytes, without an answer, a count or a timer', () => {
    const { clock, time, notified } = clockWith();
    for (const hex of ['', '00', '0142', '07050001071e', '13010000', '810800']) {
      clock.write('data', Buffer.from(hex, 'hex'));
      clock.write('auth', Buffer.from(hex, 'hex'));
    }
    expect(notified()).to.deep.equal([]);
    expect([...clock.state.commands]).to.deep.equal([]);
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

  it('has its whole state in the control API', () => {
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
        ...{ volume: 3, language: 'en', time_format: '24h', temperature_unit: 'C', alarms_enabled: true },
        ...{ timezone_offset_minutes: 0, screen_light_secs: 15, brightness: 100, night_brightness: 50 },
        ...{ night_mode_enabled: true, night_start: '22:00', night_end: '07:00', ringtone: 'fdc366a5' },
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
      behaviour: USUAL_BEHAVIOUR,
    });
  });
});
