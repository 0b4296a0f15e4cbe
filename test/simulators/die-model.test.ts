import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Notification } from '../../src/protocols/godice/index.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/any-die/behaviour.js';
import { dark, red, blue, resting, other, dieWith } from './die-scene.js';

const burst: readonly Notification[] = [
  { _tag: 'Battery', level: 57 },
  { _tag: 'Stable', acceleration: resting },
  { _tag: 'Charging', on: false },
];

describe('die model: questions', () => {
  it('answers battery and colour', () => {
    const { send, notified } = dieWith();
    send({ _tag: 'Battery' });
    send({ _tag: 'Colour' });
    expect(notified()).to.deep.equal([
      { _tag: 'Battery', level: 57 },
      { _tag: 'Colour', colour: 'green' },
    ]);
  });

  it('has the usual sensitivity and detection until a host sets others', () => {
    const { sensitivity, detection } = dieWith().die.state;
    expect(sensitivity).to.equal(30);
    expect(Object.values(detection)).to.deep.equal([4, 2, 1, 10, 54, 20, 50, 30]);
  });

  it('answers an initialise with battery, resting vector and charging, and blinks', () => {
    const { die, send, notified, lit, time } = dieWith();
    const pulse = { count: 1, onMs: 500, offMs: 500, colour: blue, mode: 'parallel', leds: 'both' } as const;
    send({ _tag: 'Initialise', sensitivity: 44, pulse });
    expect(notified()).to.deep.equal(burst);
    expect(die.state.sensitivity).to.equal(44);
    expect(lit()).to.deep.equal([blue, blue]);
    time.advance(1000);
    expect(lit()).to.deep.equal([dark, dark]);
  });

  it('answers a bare initialise the same way, blinking red once', () => {
    const { die, send, notified, lit, time } = dieWith();
    send({ _tag: 'InitialiseBare' });
    expect(notified()).to.deep.equal(burst);
    expect(lit()).to.deep.equal([red, red]);
    const pulse = { count: 1, onMs: 500, offMs: 500, colour: red, mode: 'parallel', leds: 'both' };
    expect(die.state.pulse).to.deep.equal(pulse);
    time.advance(1000);
    expect(lit()).to.deep.equal([dark, dark]);
    expect(die.state.pulse).to.be.null;
  });

  it('has no resting vector while it rolls', () => {
    const { die, send, notified } = dieWith();
    die.roll({ to: other, ending: 'stable', rollMs: 1000 });
    notified();
    send({ _tag: 'InitialiseBare' });
    expect(notified().map(({ _tag }) => _tag)).to.deep.equal(['Battery', 'Charging']);
  });

  it('passes over what it does not understand', () => {
    const { die, notified, send } = dieWith();
    for (const hex of ['', '7f', '2701', '08ff', '0300', '3102', '191e']) die.write(Buffer.from(hex, 'hex'));
    send({ _tag: 'Calibrate' });
    expect(notified()).to.deep.equal([]);
  });

  it('counts what it received by opcode', () => {
    const { die, send } = dieWith();
    die.write(Buffer.alloc(0));
    send({ _tag: 'Battery' });
    send({ _tag: 'Battery' });
    send({ _tag: 'StopLeds' });
    expect([...die.state.commands]).to.deep.equal([
      [0x03, 2],
      [0x14, 1],
    ]);
  });

  it('keeps sensitivity and detection settings', () => {
    const { die, send } = dieWith();
    send({ _tag: 'Sensitivity', sensitivity: 12 });
    send({ _tag: 'Detection', settings: { ...die.state.detection, max_flat_degrees: 60 } });
    expect(die.state.sensitivity).to.equal(12);
    expect(die.state.detection.max_flat_degrees).to.equal(60);
  });
});

describe('die model: LEDs', () => {
  it('lights both LEDs until the next command', () => {
    const { send, lit, time } = dieWith();
    send({ _tag: 'Leds', led1: red, led2: blue });
    time.advance(60_000);
    expect(lit()).to.deep.equal([red, blue]);
    send({ _tag: 'StopLeds' });
    expect(lit()).to.deep.equal([dark, dark]);
  });

  it('blinks one LED as often as requested, and leaves the other alone', () => {
    const { send, lit, time } = dieWith();
    send({ _tag: 'Leds', led1: red, led2: red });
    send({ _tag: 'Pulse', count: 2, onMs: 100, offMs: 50, colour: blue, mode: 'parallel', leds: 'led2' });
    const seen: unknown[] = [];
    for (let step = 0; step < 4; step += 1) {
      seen.push(lit());
      time.advance(step % 2 === 0 ? 100 : 50);
    }
    expect(seen).to.deep.equal([
      [red, blue],
      [red, dark],
      [red, blue],
      [red, dark],
    ]);
    expect(lit()).to.deep.equal([red, dark]);
    expect(time.pending).to.equal(0);
  });

  it('shows red, green and blue in turn when requested one by one', () => {
    const { send, lit, time } = dieWith();
    const colour = { r: 10, g: 20, b: 30 };
    send({ _tag: 'Pulse', count: 4, onMs: 100, offMs: 0, colour, mode: 'oneByOne', leds: 'led1' });
    const seen: unknown[] = [];
    for (let blink = 0; blink < 4; blink += 1) {
      seen.push(lit()[0]);
      time.advance(100);
    }
    expect(seen).to.deep.equal([
      { r: 10, g: 0, b: 0 },
      { r: 0, g: 20, b: 0 },
      { r: 0, g: 0, b: 30 },
      { r: 10, g: 0, b: 0 },
    ]);
  });

  it('blinks without end for a count of 255, until stopped', () => {
    const { die, send, lit, time } = dieWith();
    send({ _tag: 'Pulse', count: 255, onMs: 10, offMs: 10, colour: red, mode: 'parallel', leds: 'both' });
    time.advance(20 * 300);
    expect(lit()).to.deep.equal([red, red]);
    send({ _tag: 'StopLeds' });
    expect(die.state.pulse).to.be.null;
    expect(time.pending).to.equal(0);
  });

  it('blinks the first LED alone, and shows of a pulse that it replaces nothing', () => {
    const { die, send, lit, time } = dieWith();
    const pulse = { count: 2, onMs: 100, offMs: 50, colour: blue, mode: 'parallel' } as const;
    send({ _tag: 'Pulse', ...pulse, leds: 'led1' });
    expect(lit()).to.deep.equal([blue, dark]);
    expect(die.state.pulse).to.deep.include({ ...pulse, leds: 'led1' });
    send({ _tag: 'Pulse', ...pulse, leds: 'led2' });
    expect(lit()).to.deep.equal([dark, blue]);
    expect(time.pending).to.equal(1);
  });

  it('is dark at first, and reports every change of its LEDs', () => {
    const { send, lit, time, counts } = dieWith();
    expect(lit()).to.deep.equal([dark, dark]);
    send({ _tag: 'Pulse', count: 2, onMs: 100, offMs: 50, colour: blue, mode: 'parallel', leds: 'both' });
    const { changes } = counts();
    time.advance(100);
    expect(counts().changes).to.equal(changes + 1);
    time.advance(50);
    expect(counts().changes).to.equal(changes + 2);
  });

  it('shows nothing for a pulse without length or number', () => {
    const { send, lit, time } = dieWith();
    send({ _tag: 'Pulse', count: 255, onMs: 0, offMs: 0, colour: red, mode: 'parallel', leds: 'both' });
    send({ _tag: 'Pulse', count: 0, onMs: 10, offMs: 10, colour: red, mode: 'parallel', leds: 'both' });
    expect(lit()).to.deep.equal([dark, dark]);
    expect(time.pending).to.equal(0);
  });
});

describe('die model: taps', () => {
  it('reports taps once they are switched on, each kind by itself', () => {
    const { die, send, notified } = dieWith();
    die.tap('single');
    die.tap('double');
    expect(notified()).to.deep.equal([]);
    send({ _tag: 'SingleTap', on: true });
    die.tap('single');
    die.tap('double');
    expect(notified()).to.deep.equal([{ _tag: 'Tap' }]);
    send({ _tag: 'DoubleTap', on: true });
    send({ _tag: 'SingleTap', on: false });
    die.tap('single');
    die.tap('double');
    expect(notified()).to.deep.equal([{ _tag: 'DoubleTap' }]);
  });

  it('are switched off at first, and when the host leaves', () => {
    const { die, send } = dieWith();
    const off = { single: false, double: false };
    expect(die.state.taps).to.deep.equal(off);
    send({ _tag: 'SingleTap', on: true });
    send({ _tag: 'DoubleTap', on: true });
    expect(die.state.taps).to.deep.equal({ single: true, double: true });
    die.linkEnded();
    expect(die.state.taps).to.deep.equal(off);
  });

  it('forgets taps, LEDs and late answers when the host leaves', () => {
    const { die, send, notified, lit, time } = dieWith({
      behaviour: { ...USUAL_BEHAVIOUR, answer_delay_ms: 100 },
    });
    send({ _tag: 'SingleTap', on: true });
    send({ _tag: 'Leds', led1: red, led2: red });
    send({ _tag: 'Battery' });
    die.linkEnded();
    time.advance(1000);
    die.tap('single');
    expect(notified()).to.deep.equal([]);
    expect(lit()).to.deep.equal([dark, dark]);
  });
});

describe('die model: power', () => {
  it('reports charging, and the level about each second as it rises to 100', () => {
    const { die, notified, time } = dieWith({ batteryLevel: 98 });
    die.charge(true);
    time.advance(3000);
    die.charge(false);
    time.advance(3000);
    expect(notified()).to.deep.equal([
      { _tag: 'Charging', on: true },
      { _tag: 'Battery', level: 99 },
      { _tag: 'Battery', level: 100 },
      { _tag: 'Battery', level: 100 },
      { _tag: 'Charging', on: false },
    ]);
    expect(time.pending).to.equal(0);
  });

  it('is as full as it is made', () => {
    const { die, send, notified, counts } = dieWith();
    const { changes } = counts();
    die.setBattery(12);
    expect(counts().changes).to.equal(changes + 1);
    send({ _tag: 'Battery' });
    expect(notified()).to.deep.equal([{ _tag: 'Battery', level: 12 }]);
  });

  it('notifies once when it is put on the charger twice', () => {
    const { die, notified } = dieWith();
    die.charge(true);
    die.charge(true);
    expect(notified()).to.deep.equal([{ _tag: 'Charging', on: true }]);
  });

  it('is dead when empty; on the charger it wakes, and keeps links from 1 % on', () => {
    const { die, time } = dieWith({ batteryLevel: 0 });
    expect([die.awake, die.keepsLinks]).to.deep.equal([false, false]);
    die.charge(true);
    expect([die.awake, die.keepsLinks]).to.deep.equal([true, false]);
    time.advance(1000);
    expect([die.awake, die.keepsLinks]).to.deep.equal([true, true]);
  });

  it('sleeps until it is woken, rolled, turned or tapped', () => {
    const { die } = dieWith();
    const wakers = [
      () => die.wake(),
      () => die.roll({ to: other, ending: 'stable', rollMs: 1 }),
      () => die.turn(other),
      () => die.tap('single'),
    ];
    for (const wake of wakers) {
      die.sleep();
      expect([die.awake, die.keepsLinks]).to.deep.equal([false, false]);
      wake();
      expect([die.awake, die.keepsLinks]).to.deep.equal([true, true]);
    }
  });

  it('leaves no timer behind', () => {
    const { die, send, time } = dieWith({
      charging: true,
      behaviour: { ...USUAL_BEHAVIOUR, answer_delay_ms: 5 },
    });
    send({ _tag: 'InitialiseBare' });
    die.roll({ to: other, ending: 'stable', rollMs: 1000 });
    expect(time.pending).to.equal(4);
    die.close();
    expect(time.pending).to.equal(0);
  });
});

describe('die model: behaviour', () => {
  it('ignores the opcodes it is deaf to', () => {
    const { die, send, notified } = dieWith();
    die.setBehaviour({ ...USUAL_BEHAVIOUR, silent_opcodes: [0x03] });
    send({ _tag: 'Battery' });
    send({ _tag: 'Colour' });
    expect(notified()).to.deep.equal([{ _tag: 'Colour', colour: 'green' }]);
  });

  it('is slow to answer, in order', () => {
    const { send, notified, time } = dieWith({ behaviour: { ...USUAL_BEHAVIOUR, answer_delay_ms: 200 } });
    send({ _tag: 'Battery' });
    send({ _tag: 'Colour' });
    time.advance(199);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified().map(({ _tag }) => _tag)).to.deep.equal(['Battery', 'Colour']);
  });

  it('refuses links', () => {
    const { die } = dieWith({ behaviour: { ...USUAL_BEHAVIOUR, refuse_links: true } });
    expect([die.awake, die.keepsLinks]).to.deep.equal([true, false]);
  });
});
