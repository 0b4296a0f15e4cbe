import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  encodeCommand,
  faceOf,
  vectorFor,
  type Command,
  type Notification,
} from '../../src/protocols/godice/index.js';
import { DICE_TYPES, facesOf } from '../../src/protocols/dice-values.js';
import { DieModel } from '../../simulators/devices/godice/model.js';
import { anyFaceOf, measureOn } from '../../simulators/devices/godice/actions.js';
import type { DieStart, Ending } from '../../simulators/devices/godice/state.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/any-die/behaviour.js';
import { seededRng } from '../../simulators/radio/index.js';
import { manualTime } from '../support/manual-time.js';

const dark = { r: 0, g: 0, b: 0 };
const red = { r: 255, g: 0, b: 0 };
const blue = { r: 0, g: 0, b: 255 };
const resting = { x: 1, y: 63, z: -2 };
const other = { x: 64, y: 1, z: 0 };

const usual: DieStart = {
  colour: 'green',
  batteryLevel: 57,
  charging: false,
  resting,
  asleep: false,
  behaviour: USUAL_BEHAVIOUR,
};

/** A die without a radio: what it says is in `said`, time passes by hand. */
const dieWith = (start: Partial<DieStart> = {}) => {
  const time = manualTime();
  const said: Notification[] = [];
  let drops = 0;
  let changes = 0;
  const die = new DieModel(
    { ...usual, ...start },
    {
      time,
      notify: (notification) => void said.push(notification),
      dropLink: () => void (drops += 1),
      changed: () => void (changes += 1),
    },
  );
  return {
    die,
    time,
    /** Its notifications since the last call. */
    notified: () => said.splice(0),
    send: (command: Command) => die.write(encodeCommand(command)),
    lit: () => die.state.leds,
    counts: () => ({ drops, changes }),
  };
};

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

  it('has no pulse where that has no length', () => {
    const { die, send } = dieWith();
    send({ _tag: 'Pulse', count: 2, onMs: 0, offMs: 0, colour: red, mode: 'parallel', leds: 'both' });
    expect(die.state.pulse).to.equal(null);
    expect(die.state.leds).to.deep.equal([dark, dark]);
  });

  it('shows nothing for a pulse without length or number', () => {
    const { send, lit, time } = dieWith();
    send({ _tag: 'Pulse', count: 255, onMs: 0, offMs: 0, colour: red, mode: 'parallel', leds: 'both' });
    send({ _tag: 'Pulse', count: 0, onMs: 10, offMs: 10, colour: red, mode: 'parallel', leds: 'both' });
    expect(lit()).to.deep.equal([dark, dark]);
    expect(time.pending).to.equal(0);
  });
});

describe('die model: movement', () => {
  const endings: readonly (readonly [Ending, readonly Notification[]])[] = [
    ['stable', [{ _tag: 'Stable', acceleration: other }]],
    ['tilt', [{ _tag: 'TiltStable', acceleration: other }]],
    ['fake', [{ _tag: 'FakeStable', acceleration: other }]],
    ['move', [{ _tag: 'MoveStable', acceleration: other }]],
    ['none', []],
  ];
  for (const [ending, last] of endings) {
    it(`starts a roll immediately and ends it later, ending ${ending}`, () => {
      const { die, notified, time } = dieWith();
      die.roll({ to: other, ending, rollMs: 1000 });
      expect(notified()).to.deep.equal([{ _tag: 'RollStart' }]);
      expect(die.state.rolling).to.be.true;
      time.advance(999);
      expect(notified()).to.deep.equal([]);
      time.advance(1);
      expect(notified()).to.deep.equal(last);
      expect(die.state.rolling).to.be.false;
      expect(die.state.resting).to.deep.equal(other);
    });
  }

  it('ends once when rolled again in the air', () => {
    const { die, notified, time } = dieWith();
    die.roll({ to: resting, ending: 'stable', rollMs: 1000 });
    time.advance(500);
    die.roll({ to: other, ending: 'stable', rollMs: 1000 });
    time.advance(5000);
    expect(notified()).to.deep.equal([
      { _tag: 'RollStart' },
      { _tag: 'RollStart' },
      { _tag: 'Stable', acceleration: other },
    ]);
  });

  it('reports a turn without a roll', () => {
    const { die, notified } = dieWith();
    die.turn(other);
    expect(notified()).to.deep.equal([{ _tag: 'Stable', acceleration: other }]);
    expect(die.state.resting).to.deep.equal(other);
  });

  it('rolls no more when it is turned', () => {
    const { die, notified, time } = dieWith();
    die.roll({ to: resting, ending: 'stable', rollMs: 1000 });
    expect(die.state.rolling).to.equal(true);
    die.turn(resting);
    die.turn(other);
    expect(die.state.rolling).to.equal(false);
    time.advance(1000);
    expect(notified()).to.deep.equal([
      { _tag: 'RollStart' },
      { _tag: 'Stable', acceleration: resting },
      { _tag: 'Stable', acceleration: other },
    ]);
  });

  it('loses the link halfway through a roll if that is its behaviour', () => {
    const { die, time, counts } = dieWith({ behaviour: { ...USUAL_BEHAVIOUR, drop_after_roll_start: true } });
    die.roll({ to: other, ending: 'stable', rollMs: 1000 });
    time.advance(499);
    expect(counts().drops).to.equal(0);
    time.advance(1);
    expect(counts().drops).to.equal(1);
  });

  it('measures every face of every shell so that it is read again', () => {
    const rng = seededRng(7);
    for (const shell of DICE_TYPES) {
      for (const face of facesOf(shell)) {
        for (let roll = 0; roll < 50; roll += 1) {
          const measured = measureOn(shell, face, rng);
          const table = vectorFor(shell, face);
          if (measured === undefined || table === undefined) throw new Error(`no ${shell} ${face}`);
          expect(faceOf(shell, measured)).to.equal(face);
          expect(Math.abs(measured.x - table.x)).to.be.at.most(3);
        }
      }
    }
    expect(measureOn('d10', 10, rng)).to.be.undefined;
  });

  it('comes up with every face by chance', () => {
    const rng = seededRng(3);
    const seen = new Set(Array.from({ length: 500 }, () => anyFaceOf('d20', rng)));
    expect([...seen].sort((a, b) => a - b)).to.deep.equal(facesOf('d20'));
  });
});

describe('die model: measurements', () => {
  const [least, most] = [() => 0, () => 0.999];
  const vector = vectorFor('d6', 1);
  if (vector === undefined) throw new Error('a D6 has no face 1');
  const { x, y, z } = vector;

  it('stray from the table by three counts at most, to either side', () => {
    expect(measureOn('d6', 1, least)).to.deep.equal({ x: x - 3, y: y - 3, z: z - 3 });
    expect(measureOn('d6', 1, most)).to.deep.equal({ x: x + 3, y: y + 3, z: z + 3 });
    expect(measureOn('d6', 1, () => 0.5)).to.deep.equal({ x, y, z });
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

  it('needs no timer while nothing happens', () => {
    expect(dieWith().time.pending).to.equal(0);
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

  it('can be closed though nothing has happened', () => {
    const { die, time } = dieWith();
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
