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

const once = { count: 1, onMs: 500, offMs: 500, mode: 'parallel', leds: 'both' } as const;

describe('die model: questions', () => {
  for (const [command, sensitivity, colour] of [
    [{ _tag: 'Initialise', sensitivity: 44, pulse: { ...once, colour: blue } }, 44, blue],
    [{ _tag: 'InitialiseBare' }, 30, red],
  ] as const) {
    it(`answers ${command._tag} with battery, resting vector and charging, and blinks once`, () => {
      const { die, send, notified, lit, time } = dieWith();
      send(command);
      expect(notified()).to.deep.equal(burst);
      expect(die.state).to.deep.include({ sensitivity, pulse: { ...once, colour } });
      expect(lit()).to.deep.equal([colour, colour]);
      time.advance(1000);
      expect(lit()).to.deep.equal([dark, dark]);
      expect(die.state.pulse).to.be.null;
    });
  }

  it('has no resting vector while it rolls', () => {
    const { die, send, notified } = dieWith();
    die.roll({ to: other, ending: 'stable', rollMs: 1000 });
    notified();
    send({ _tag: 'InitialiseBare' });
    expect(notified().map(({ _tag }) => _tag)).to.deep.equal(['Battery', 'Charging']);
  });

  it('ignores unknown bytes', () => {
    const { die, notified, send } = dieWith();
    for (const hex of ['', '7f', '2701', '08ff', '0300', '3102', '191e']) die.write(Buffer.from(hex, 'hex'));
    send({ _tag: 'Calibrate' });
    expect(notified()).to.deep.equal([]);
  });

  it('counts received commands by opcode', () => {
    const { die, send } = dieWith();
    die.write(Buffer.alloc(0));
    send({ _tag: 'Battery' }, { _tag: 'Battery' }, { _tag: 'StopLeds' });
    expect(Object.fromEntries(die.state.commands)).to.deep.equal({ 0x03: 2, 0x14: 1 });
  });

  it('has the usual sensitivity and detection until a host sets others', () => {
    const { die, send } = dieWith();
    const { detection } = die.state;
    expect(Object.values(detection)).to.deep.equal([4, 2, 1, 10, 54, 20, 50, 30]);
    send({ _tag: 'Sensitivity', sensitivity: 12 });
    send({ _tag: 'Detection', settings: { ...detection, max_flat_degrees: 60 } });
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

  const pulse = { _tag: 'Pulse', count: 2, onMs: 100, offMs: 50, colour: blue, mode: 'parallel' } as const;

  it('blinks one LED as often as requested, leaves the other alone, and reports every change', () => {
    const { send, lit, time, counts } = dieWith();
    send({ _tag: 'Leds', led1: red, led2: red }, { ...pulse, leds: 'led2' });
    const { changes } = counts();
    const seen = [100, 50, 100, 50, 0].map((ms) => {
      const [first, second] = lit();
      expect(first).to.deep.equal(red);
      time.advance(ms);
      return [second, counts().changes - changes];
    });
    expect(seen).to.deep.equal([
      [blue, 1],
      [dark, 2],
      [blue, 3],
      [dark, 4],
      [dark, 4],
    ]);
    expect(time.pending).to.equal(0);
  });

  it('shows red, green and blue in turn when requested one by one', () => {
    const { send, lit, time } = dieWith();
    const colour = { r: 10, g: 20, b: 30 };
    send({ ...pulse, count: 4, offMs: 0, colour, mode: 'oneByOne', leds: 'led1' });
    const [r, g, b] = [
      { ...dark, r: 10 },
      { ...dark, g: 20 },
      { ...dark, b: 30 },
    ];
    for (const shown of [r, g, b, r]) {
      expect(lit()).to.deep.equal([shown, dark]);
      time.advance(100);
    }
  });

  it('blinks without end for a count of 255, until stopped', () => {
    const { die, send, lit, time } = dieWith();
    send({ ...pulse, count: 255, leds: 'both' });
    time.advance(150 * 300);
    expect(lit()).to.deep.equal([blue, blue]);
    send({ _tag: 'StopLeds' });
    expect(die.state.pulse).to.be.null;
    expect(time.pending).to.equal(0);
  });

  it('is dark at first, blinks the first LED alone, and ends a pulse that another replaces', () => {
    const { die, send, lit, time } = dieWith();
    expect(lit()).to.deep.equal([dark, dark]);
    send({ ...pulse, leds: 'led1' });
    expect(lit()).to.deep.equal([blue, dark]);
    expect(die.state.pulse).to.deep.include({ count: 2, onMs: 100, offMs: 50, leds: 'led1' });
    send({ ...pulse, leds: 'led2' });
    expect(lit()).to.deep.equal([dark, blue]);
    expect(time.pending).to.equal(1);
  });

  it('shows nothing for a pulse without length or number', () => {
    const { send, lit, time } = dieWith();
    for (const nothing of [{ count: 255, onMs: 0, offMs: 0 }, { count: 0 }]) {
      send({ ...pulse, ...nothing, leds: 'both' });
      expect(lit()).to.deep.equal([dark, dark]);
      expect(time.pending).to.equal(0);
    }
  });
});

describe('die model: taps', () => {
  it('are reported only if their kind is switched on, until the host leaves', () => {
    const { die, send, notified } = dieWith();
    const tapped = (single: boolean, double: boolean): readonly Notification[] => {
      expect(die.state.taps).to.deep.equal({ single, double });
      die.tap('single');
      die.tap('double');
      return notified();
    };
    expect(tapped(false, false)).to.deep.equal([]);
    send({ _tag: 'SingleTap', on: true });
    expect(tapped(true, false)).to.deep.equal([{ _tag: 'Tap' }]);
    send({ _tag: 'DoubleTap', on: true }, { _tag: 'SingleTap', on: false });
    expect(tapped(false, true)).to.deep.equal([{ _tag: 'DoubleTap' }]);
    send({ _tag: 'SingleTap', on: true });
    die.linkEnded();
    expect(tapped(false, false)).to.deep.equal([]);
  });
});

describe('die model: power', () => {
  it('reports charging once, and the level about each second as it rises to 100', () => {
    const { die, notified, time } = dieWith({ batteryLevel: 98 });
    die.charge(true);
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

  it('reports the level to which it was set', () => {
    const { die, send, notified, counts } = dieWith();
    const { changes } = counts();
    die.setBattery(12);
    expect(counts().changes).to.equal(changes + 1);
    send({ _tag: 'Battery' });
    expect(notified()).to.deep.equal([{ _tag: 'Battery', level: 12 }]);
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

  for (const charging of [false, true]) {
    it(`leaves no timer behind when it is closed, ${charging ? 'on' : 'off'} its charger`, () => {
      const behaviour = { ...USUAL_BEHAVIOUR, answer_delay_ms: 5 };
      const { die, send, time } = dieWith({ charging, behaviour });
      send({ _tag: 'InitialiseBare' });
      die.roll({ to: other, ending: 'stable', rollMs: 1000 });
      expect(time.pending).to.equal(charging ? 4 : 3);
      die.close();
      expect(time.pending).to.equal(0);
    });
  }
});

describe('die model: behaviour', () => {
  it('ignores silent opcodes', () => {
    const { die, send, notified } = dieWith();
    die.setBehaviour({ ...USUAL_BEHAVIOUR, silent_opcodes: [0x03] });
    send({ _tag: 'Battery' }, { _tag: 'Colour' });
    expect(notified()).to.deep.equal([{ _tag: 'Colour', colour: 'green' }]);
  });

  it('answers late but in order, and is dark and silent when the host has left', () => {
    const { die, send, notified, lit, time } = dieWith({
      behaviour: { ...USUAL_BEHAVIOUR, answer_delay_ms: 200 },
    });
    send({ _tag: 'Leds', led1: red, led2: red }, { _tag: 'Battery' }, { _tag: 'Colour' });
    time.advance(199);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified()).to.deep.equal([
      { _tag: 'Battery', level: 57 },
      { _tag: 'Colour', colour: 'green' },
    ]);
    send({ _tag: 'Battery' });
    die.linkEnded();
    time.advance(1000);
    expect(notified()).to.deep.equal([]);
    expect(lit()).to.deep.equal([dark, dark]);
  });

  it('refuses links', () => {
    const { die } = dieWith({ behaviour: { ...USUAL_BEHAVIOUR, refuse_links: true } });
    expect([die.awake, die.keepsLinks]).to.deep.equal([true, false]);
  });
});
