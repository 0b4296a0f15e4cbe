import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  Days,
  RINGTONES,
  audioBlocks,
  encodeSettings,
  padAudio,
  type Command,
} from '../../src/protocols/cgd1/index.js';
import { FACTORY_RECORD } from '../../simulators/devices/cgd1/factory.js';
import { clockWith, ownedClock, settingsWith, alarmAt, MONDAY, HOUR } from './clock-scene.js';

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

  it('deletes an alarm, and acknowledges the deletion of an empty slot too', () => {
    const { clock, send, notified } = ownedClock({ alarms: [alarmAt(7, 30)] });
    send({ _tag: 'DeleteAlarm', slot: 0 }, { _tag: 'DeleteAlarm', slot: 7 });
    expect(notified()).to.have.length(2);
    expect(clock.state.alarms.every((alarm) => alarm === null)).to.be.true;
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

  it('rings all alarms that become due when time passes in one step, in order', () => {
    const { clock, events } = clockWith({
      time: MONDAY,
      alarms: [alarmAt(9, 0, { days: Days.tuesday }), alarmAt(8, 0), null, alarmAt(8, 0)],
    });
    clock.advance(34 * HOUR);
    expect(events.map((event) => event['slot'])).to.deep.equal([1, 3, 1, 3, 0]);
  });

  it('switches off an alarm without repetition when it has rung, and no other alarm', () => {
    const once = { days: Days.once };
    const { clock, events } = clockWith({ time: MONDAY, alarms: [alarmAt(8, 0, once), alarmAt(9, 0, once)] });
    clock.advance(8 * HOUR);
    expect(events).to.have.length(1);
    expect(clock.state.alarms[0]).to.deep.equal(alarmAt(8, 0, { ...once, enabled: false }));
    expect(clock.state.alarms[1]).to.deep.equal(alarmAt(9, 0, once));
    clock.advance(3 * 24 * HOUR);
    expect(events).to.have.length(2);
  });

  it('does not ring an alarm that is off, or any while all are off', () => {
    const { clock, send, events } = ownedClock({
      time: MONDAY,
      alarms: [alarmAt(8, 0, { enabled: false }), alarmAt(9, 0)],
    });
    send(settingsWith({ alarms_enabled: false }));
    clock.advance(24 * HOUR);
    expect(events).to.deep.equal([]);
  });

  it('does not ring alarms that a new time skips', () => {
    const { send, time, events } = ownedClock({ time: MONDAY, alarms: [alarmAt(8, 0)] });
    send({ _tag: 'SetTime', seconds: MONDAY / 1000 + 9 * HOUR });
    time.advance(22 * HOUR * 1000);
    expect(events).to.deep.equal([]);
    time.advance(HOUR * 1000);
    expect(events).to.have.length(1);
  });

  it('stops ringing when the button is pressed', () => {
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
    const { clock, send, messages } = ownedClock();
    send(begin, ...blocks.slice(0, 3));
    expect(messages()).to.deep.equal(['04ff100000']);
    expect(clock.state.upload).to.deep.equal({ signature: 'deaddead', size: 1024, received: 384 });
    send(...blocks.slice(3));
    expect(messages()).to.deep.equal(['04ff080000', '04ff080000']);
    expect(clock.state).to.deep.include({ upload: null, ringtone: RINGTONES.Beep });
    expect(clock.state.uploaded).to.deep.equal({
      signature: 'deaddead',
      size: 1024,
      sha256: createHash('sha256').update(audio).digest('hex'),
    });
    send(settingsWith({ ringtone: 'deaddead' }));
    expect(clock.state.ringtone).to.equal('deaddead');
  });

  it('keeps the old tone when settings name a tone that never arrived in full', () => {
    const { clock, send } = ownedClock();
    send(begin, ...blocks.slice(0, 4), settingsWith({ ringtone: 'deaddead' }));
    expect(clock.state).to.deep.include({ ringtone: RINGTONES.Beep, uploaded: null, upload: null });
    expect(clock.state.settings.ringtone).to.equal('deaddead');
  });

  it('refuses the signature in use, an empty tone and a tone that is too long', () => {
    const { send, messages } = ownedClock({
      record: encodeSettings(FACTORY_RECORD, { ringtone: 'deaddead' }),
    });
    send(begin);
    for (const size of [0, 98_305, 98_304]) send({ _tag: 'AudioInit', size, signature: 'beefbeef' });
    expect(messages()).to.deep.equal([...Array<string>(3).fill('04ff100101'), '04ff100000']);
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
    it(`gives up an upload for ${name}`, () => {
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
