import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  ALL_FACES,
  encodeCommand,
  type Command,
  type KnownDieType,
  type Notification,
  type RollState,
} from '../../../src/protocols/pixels/index.js';
import { USUAL_BEHAVIOUR } from '../../../simulators/devices/any-die/behaviour.js';
import { advertisementOf, scanResponseOf } from '../../../simulators/devices/pixels/advertising.js';
import { anyIndexOf, indexOf } from '../../../simulators/devices/pixels/faces.js';
import { FIRMWARE, releaseOf, type Firmware } from '../../../simulators/devices/pixels/firmware.js';
import { Leds } from '../../../simulators/devices/pixels/leds.js';
import { PixelModel } from '../../../simulators/devices/pixels/model.js';
import type { Ending, PixelStart } from '../../../simulators/devices/pixels/state.js';
import { seededRng } from '../../../simulators/radio/index.js';
import { manualTime } from '../../support/manual-time.js';

const usual: PixelStart = {
  type: 'd20',
  colorway: 'midnight_galaxy',
  name: 'Pixel12345678',
  pixelId: 0x12345678,
  firmware: '2024-11-07',
  batteryLevel: 80,
  charging: false,
  faceIndex: 19,
  asleep: false,
  behaviour: USUAL_BEHAVIOUR,
};

/** A die without a radio, whose time passes by hand. */
const dieWith = (start: Partial<PixelStart> = {}) => {
  const time = manualTime();
  const said: Notification[] = [];
  const signal = { rssi: -60 };
  let drops = 0;
  const die = new PixelModel(
    { ...usual, ...start },
    {
      time,
      notify: (notification) => void said.push(notification),
      dropLink: () => void (drops += 1),
      changed: () => undefined,
      rssi: () => signal.rssi,
    },
  );
  return {
    die,
    time,
    signal,
    /** Its notifications since the last call. */
    notified: () => said.splice(0),
    send: (command: Command) => die.write(encodeCommand(command)),
    drops: () => drops,
  };
};

const state = (name: RollState, faceIndex: number): Notification => ({
  _tag: 'RollState',
  state: name,
  faceIndex,
});
const battery = (level: number, name: 'ok' | 'low' | 'charging' | 'done'): Notification => ({
  _tag: 'BatteryLevel',
  level,
  state: name,
});

const old: readonly Firmware[] = ['2023-11-17', '2024-02-06', '2024-09-27', '2024-10-11'];
const isOld = (firmware: Firmware): boolean => old.includes(firmware);

const ROLL = { to: 11, via: 7, rollMs: 1000 };

describe('model of a Pixels die: movement', () => {
  for (const firmware of FIRMWARE) {
    const resting = isOld(firmware) ? 'rolled' : 'onFace';
    const rolls: readonly (readonly [Ending, readonly Notification[]])[] = [
      ['stable', [state('rolling', 19), state('rolling', 7), state('rolled', 11)]],
      ['move', [state(resting, 11)]],
      ['none', [state('rolling', 19), state('rolling', 7)]],
    ];
    for (const [ending, messages] of rolls) {
      it(`notifies a roll that ends ${ending} as firmware ${firmware} does`, () => {
        const { die, notified, time } = dieWith({ firmware });
        die.roll({ ...ROLL, ending });
        expect(notified()).to.deep.equal([state('handling', 19)]);
        time.advance(1000);
        expect(notified()).to.deep.equal(messages);
        time.advance(10_000);
        expect(notified()).to.deep.equal([]);
        expect(die.state).to.deep.include({ rollState: resting, faceIndex: 11, rolling: false });
        expect(time.pending).to.equal(0);
      });
    }

    it(`notifies a turn by hand as firmware ${firmware} does`, () => {
      const { die, notified } = dieWith({ firmware });
      die.turn(2);
      expect(notified()).to.deep.equal([state('handling', 19), state(resting, 2)]);
    });
  }

  it('rolls from the first face that passes until it rests', () => {
    const { die, time } = dieWith();
    die.roll({ ...ROLL, ending: 'stable' });
    expect(die.state.rolling).to.equal(false);
    time.advance(250);
    expect(die.state.rolling).to.equal(true);
    time.advance(750);
    expect(die.state.rolling).to.equal(false);
  });

  it('notifies no state twice in a row', () => {
    const { die, notified, time } = dieWith();
    die.roll({ ...ROLL, via: 19, ending: 'stable' });
    time.advance(1000);
    expect(notified()).to.deep.equal([state('handling', 19), state('rolling', 19), state('rolled', 11)]);
  });

  it('wakes when it is rolled or turned', () => {
    const rolled = dieWith({ asleep: true });
    rolled.die.roll({ ...ROLL, ending: 'stable' });
    const turned = dieWith({ asleep: true });
    turned.die.turn(3);
    expect([rolled.die.awake, turned.die.awake]).to.deep.equal([true, true]);
  });

  it('is silently on its face a frame after a roll', () => {
    const { die, notified, send, time } = dieWith();
    die.roll({ ...ROLL, ending: 'stable' });
    time.advance(1159);
    notified();
    send({ _tag: 'RequestRollState' });
    expect(notified()).to.deep.equal([state('rolled', 11)]);
    time.advance(1);
    expect(notified()).to.deep.equal([]);
    send({ _tag: 'RequestRollState' });
    expect(notified()).to.deep.equal([state('onFace', 11)]);
  });

  it('stays crooked until it is moved again', () => {
    const { die, notified, time } = dieWith({ type: 'd4', faceIndex: 3 });
    die.roll({ to: 1, via: 2, ending: 'tilt', rollMs: 1000 });
    time.advance(5000);
    expect(notified().at(-1)).to.deep.equal(state('crooked', 1));
    expect(die.state.rollState).to.equal('crooked');
    die.turn(1);
    expect(notified().at(-1)).to.deep.equal(state('onFace', 1));
  });

  it('tells that it lies crooked as its firmware and type do', () => {
    const crooked = (type: KnownDieType): readonly Firmware[] =>
      FIRMWARE.filter((firmware) => releaseOf(firmware).tellsCrooked(type));
    expect(crooked('d4')).to.deep.equal([
      '2023-11-17',
      '2024-02-06',
      '2024-10-11',
      '2024-11-07',
      '2025-01-03',
    ]);
    expect(crooked('d6')).to.deep.equal(['2023-11-17', '2024-02-06']);
    expect(crooked('d20')).to.deep.equal([]);
  });

  it('rolls once when it is rolled again in the air', () => {
    const { die, notified, time } = dieWith();
    die.roll({ to: 3, via: 7, ending: 'stable', rollMs: 1000 });
    time.advance(500);
    die.roll({ ...ROLL, ending: 'stable' });
    time.advance(5000);
    expect(notified().filter((one) => one._tag === 'RollState' && one.state === 'rolled')).to.deep.equal([
      state('rolled', 11),
    ]);
  });

  it('loses the link halfway through a roll if that is its behaviour', () => {
    const { die, time, drops } = dieWith({ behaviour: { ...USUAL_BEHAVIOUR, drop_after_roll_start: true } });
    die.roll({ ...ROLL, ending: 'stable' });
    time.advance(499);
    expect(drops()).to.equal(0);
    time.advance(1);
    expect(drops()).to.equal(1);
  });

  it('is handled when it wakes, and at rest three frames later', () => {
    const { die, notified, time } = dieWith({ asleep: true });
    expect(die.awake).to.equal(false);
    die.wake();
    expect(die.awake).to.equal(true);
    expect(notified()).to.deep.equal([state('handling', 19)]);
    time.advance(479);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified()).to.deep.equal([state('onFace', 19)]);
    die.wake();
    expect(notified()).to.deep.equal([]);
  });

  it('reaches every face of every type by its value', () => {
    const rng = seededRng(3);
    for (const firmware of ['2023-11-17', '2024-11-07'] as const) {
      expect(indexOf({ type: 'd6', firmware }, 5, rng)).to.equal(firmware === '2023-11-17' ? 1 : 4);
      const seen = new Set(Array.from({ length: 200 }, () => anyIndexOf({ type: 'fudge', firmware }, rng)));
      expect([...seen].sort()).to.deep.equal([0, 1, 2, 3, 4, 5]);
    }
  });
});

describe('model of a Pixels die: messages', () => {
  it('identifies itself in the form of its profile', () => {
    for (const [firmware, profile] of [
      ['2024-11-07', 'legacy'],
      ['2025-01-03', 'current'],
    ] as const) {
      const { send, notified } = dieWith({ firmware });
      send({ _tag: 'WhoAreYou' });
      const [answer] = notified();
      expect(answer).to.deep.include({
        ...{ _tag: 'IAmADie', profile, pixelId: 0x12345678, dieType: 'd20', ledCount: 20 },
        ...{ colorway: 'midnight_galaxy', rollState: 'onFace', faceIndex: 19 },
        ...{ battery: 80, batteryState: 'ok' },
        ...(profile === 'current' && {
          ...{ name: 'Pixel12345678', designName: '', runMode: 'user', firmwareVersion: 0x100 },
          versions: { settings: 0x100, standard: 0x100, extended: 0x100, management: 0x100 },
        }),
      });
    }
  });

  it('answers requests of battery, temperature, ids and names', () => {
    const { send, notified } = dieWith();
    send({ _tag: 'RequestBatteryLevel' });
    send({ _tag: 'RequestTemperature' });
    send({ _tag: 'BlinkId', brightness: 255, loopCount: 1 });
    send({ _tag: 'SetName', name: 'Bob' });
    expect(notified()).to.deep.equal([
      battery(80, 'ok'),
      { _tag: 'Temperature', mcu: 28.26, battery: 25.1 },
      { _tag: 'BlinkIdAck' },
      { _tag: 'SetNameAck' },
    ]);
  });

  it('ignores messages that it does not know, that are too short, or empty', () => {
    const { die, notified } = dieWith();
    for (const hex of ['', '00', '7f', '1d01', '3503', '13021301', '1a02f401'])
      die.write(Buffer.from(hex, 'hex'));
    expect(notified()).to.deep.equal([]);
  });

  it('repeats its signal strength where that has changed, at most each second', () => {
    const { send, notified, signal, time } = dieWith();
    send({ _tag: 'RequestRssi', mode: 'repeat', minIntervalMs: 0 });
    expect(notified()).to.deep.equal([{ _tag: 'Rssi', rssi: -60 }]);
    time.advance(3000);
    expect(notified()).to.deep.equal([]);
    signal.rssi = -70;
    time.advance(999);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified()).to.deep.equal([{ _tag: 'Rssi', rssi: -70 }]);
    send({ _tag: 'RequestRssi', mode: 'off', minIntervalMs: 0 });
    expect(notified()).to.deep.equal([]);
    expect(time.pending).to.equal(0);
  });

  it('answers late, or not at all, if that is its behaviour', () => {
    const behaviour = { ...USUAL_BEHAVIOUR, silent_opcodes: [0x3c], answer_delay_ms: 200 };
    const { send, notified, time, die } = dieWith({ behaviour });
    send({ _tag: 'RequestTemperature' });
    send({ _tag: 'RequestBatteryLevel' });
    time.advance(199);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified()).to.deep.equal([battery(80, 'ok')]);
    expect([...die.state.commands]).to.deep.equal([
      [0x3c, 1],
      [0x21, 1],
    ]);
  });

  it('was built on the day of its release', () => {
    expect(FIRMWARE.map((firmware) => releaseOf(firmware).builtAt.toISOString().slice(0, 10))).to.deep.equal(
      FIRMWARE,
    );
  });

  it('refuses links if that is its behaviour, until it is as usual again', () => {
    const { die } = dieWith({ behaviour: { ...USUAL_BEHAVIOUR, refuse_links: true } });
    expect([die.awake, die.keepsLinks]).to.deep.equal([true, false]);
    die.setBehaviour(USUAL_BEHAVIOUR);
    expect(die.keepsLinks).to.equal(true);
  });

  it('leaves no timer when it is closed', () => {
    const { die, send, time } = dieWith();
    die.roll({ ...ROLL, ending: 'stable' });
    send({ _tag: 'RequestRssi', mode: 'repeat', minIntervalMs: 0 });
    const colour = { r: 1, g: 2, b: 3 };
    const blink = { count: 1, durationMs: 1000, colour, faceMask: ALL_FACES, fade: 0, loopCount: 1 };
    send({ _tag: 'Blink', ...blink });
    die.close();
    expect(time.pending).to.equal(0);
  });

  it('keeps its name and its lights when a link ends without a new name', () => {
    const { die, send } = dieWith();
    const colour = { r: 1, g: 2, b: 3 };
    const blink = { count: 1, durationMs: 1000, colour, faceMask: ALL_FACES, fade: 0, loopCount: 1 };
    send({ _tag: 'Blink', ...blink });
    die.linkEnded();
    expect(die.state).to.deep.include({ name: 'Pixel12345678', leds: Array(20).fill(colour) });
  });

  it('has its new name when the link has ended', () => {
    const { die, send } = dieWith();
    send({ _tag: 'SetName', name: 'Bob' });
    expect(die.state.name).to.equal('Pixel12345678');
    die.linkEnded();
    expect(die.state.name).to.equal('Bob');
  });

  it('sleeps or resets without an answer', () => {
    const sleeping = dieWith();
    sleeping.send({ _tag: 'PowerOperation', operation: 'sleep' });
    expect(sleeping.die.keepsLinks).to.equal(false);
    const reset = dieWith();
    reset.send({ _tag: 'PowerOperation', operation: 'reset' });
    expect(reset.drops()).to.equal(1);
    expect([...sleeping.notified(), ...reset.notified()]).to.deep.equal([]);
  });
});

describe('model of a Pixels die: battery', () => {
  const cases: readonly (readonly [string, (die: PixelModel) => void, readonly Notification[]])[] = [
    ['another level', (die) => die.setBattery(76), [battery(76, 'ok')]],
    ['a level that is not low yet', (die) => die.setBattery(10), [battery(10, 'ok')]],
    ['the same level', (die) => die.setBattery(80), []],
    [
      'a level that is low, and that it is',
      (die) => die.setBattery(9),
      [battery(9, 'low'), battery(9, 'low')],
    ],
    ['the charger', (die) => die.charge(true), [battery(80, 'charging')]],
  ];
  for (const [change, act, messages] of cases) {
    it(`notifies ${change}`, () => {
      const { die, notified } = dieWith();
      act(die);
      expect(notified()).to.deep.equal(messages);
    });
  }

  it('is done when it is full on the charger', () => {
    const { die, notified } = dieWith({ charging: true, batteryLevel: 99 });
    die.setBattery(100);
    expect(notified()).to.deep.equal([battery(100, 'done'), battery(100, 'done')]);
    die.charge(false);
    expect(notified()).to.deep.equal([battery(100, 'ok')]);
  });

  it('is on the air without charge on its charger only', () => {
    const { die } = dieWith({ batteryLevel: 0 });
    expect(die.awake).to.equal(false);
    die.charge(true);
    expect(die.awake).to.equal(true);
  });
});

describe('model of a Pixels die: LEDs', () => {
  const red = { r: 255, g: 0, b: 0 };
  const dark = { r: 0, g: 0, b: 0 };
  const blink = {
    _tag: 'Blink',
    count: 1,
    durationMs: 1000,
    colour: red,
    faceMask: ALL_FACES,
    fade: 0,
  } as const;

  /** Whether LED 0 is lit, at the middle of each of so many half periods. */
  const lights = (start: Partial<PixelStart>, command: Command, halfMs: number, halves: number): string => {
    const { die, send, time } = dieWith(start);
    send(command);
    time.advance(halfMs / 2);
    return Array.from({ length: halves }, () => {
      const [led] = die.state.leds;
      time.advance(halfMs);
      return led?.r === 255 ? '*' : '.';
    }).join('');
  };

  const patterns: readonly (readonly [string, Partial<PixelStart>, object, number, string])[] = [
    ['once for the first half of its duration', {}, { loopCount: 1 }, 500, '*...'],
    ['in each of its periods', {}, { count: 2, loopCount: 1 }, 250, '*.*...'],
    ['as often as it loops', {}, { count: 2, loopCount: 2 }, 250, '*.*.*.*...'],
    ['once with a loop count of 0', {}, { loopCount: 0 }, 500, '*...'],
    [
      'for ever with a loop in the first release',
      { firmware: '2023-11-17' },
      { loopCount: 1 },
      500,
      '*.*.*.*.*.',
    ],
    ['once without a loop in the first release', { firmware: '2023-11-17' }, { loopCount: 0 }, 500, '*...'],
    ['never with a count of 0', {}, { count: 0, loopCount: 1 }, 500, '....'],
    ['never with a count of 0 in the first release', { firmware: '2023-11-17' }, { count: 0 }, 500, '....'],
    ['never without a duration', {}, { durationMs: 0, loopCount: 1 }, 500, '....'],
  ];
  for (const [title, start, change, halfMs, lit] of patterns) {
    it(`blinks ${title}`, () => {
      const command = { ...blink, loopCount: 1, ...change };
      expect(lights(start, command, halfMs, lit.length)).to.equal(lit);
    });
  }

  const courses: readonly (readonly [number, readonly (readonly [number, number])[]])[] = [
    [
      0,
      [
        [0, 200],
        [499, 200],
        [500, 0],
        [1000, 200],
      ],
    ],
    [
      51,
      [
        [0, 0],
        [50, 100],
        [100, 200],
        [500, 200],
        [550, 100],
        [600, 0],
        [999, 0],
        [1050, 100],
      ],
    ],
    [
      255,
      [
        [0, 0],
        [250, 100],
        [500, 200],
        [750, 100],
        [1000, 0],
      ],
    ],
  ];
  for (const [fade, course] of courses) {
    it(`ramps up and down with a fade of ${fade}`, () => {
      const time = manualTime(7);
      const leds = new Leds(1, time, () => undefined);
      leds.start({ ...blink, colour: { r: 200, g: 100, b: 40 }, fade, loopCount: 1 }, Infinity);
      const seen = course.map(([ms]) => {
        time.advance(7 + ms - time.now());
        return leds.lit[0];
      });
      expect(seen).to.deep.equal(course.map(([, r]) => ({ r, g: r / 2, b: r / 5 })));
      leds.close();
      expect(time.pending).to.equal(0);
    });
  }

  const changes: readonly (readonly [number, readonly number[]])[] = [
    [0, [200, 0, 200, 0, 0]],
    [51, [0, 200, 200, 0, 0, 200, 200, 0, 0]],
    [255, [0, 200, 0, 200, 0]],
  ];
  for (const [fade, reds] of changes) {
    it(`reports the ends of its ramps with a fade of ${fade}, and its own`, () => {
      const time = manualTime();
      const seen: (number | undefined)[] = [];
      const leds = new Leds(1, time, () => void seen.push(leds.lit[0]?.r));
      const twice = { ...blink, colour: { r: 200, g: 0, b: 0 }, count: 2, durationMs: 2000 };
      leds.start({ ...twice, fade, loopCount: 1 }, 1);
      time.advance(5000);
      const [, ...afterStop] = seen;
      expect(afterStop).to.deep.equal(reds);
    });
  }

  it('acknowledges a blink at receipt, and lights all its LEDs', () => {
    const { die, send, notified } = dieWith();
    send({ ...blink, loopCount: 1 });
    expect(notified()).to.deep.equal([{ _tag: 'BlinkAck' }]);
    expect(die.state.leds).to.deep.equal(Array(20).fill(red));
    expect(die.state.blink).to.deep.include({ count: 1, durationMs: 1000, colour: red });
  });

  it('lights the faces of the mask alone', () => {
    const { die, send } = dieWith();
    send({ ...blink, faceMask: (1 << 19) | 1, loopCount: 1 });
    const lit = die.state.leds.flatMap((led, index) => (led === dark || led.r === 0 ? [] : [index]));
    expect(lit).to.deep.equal([0, 19]);
  });

  it('has as many LEDs on a face with pips as there are pips', () => {
    const { die, send } = dieWith({ type: 'd6_pipped', faceIndex: 0 });
    send({ ...blink, faceMask: 1 << 2, loopCount: 1 });
    expect(die.state.leds.flatMap(({ r }, index) => (r === 0 ? [] : [index]))).to.deep.equal([3, 4, 5]);
  });

  it('is dark at the end of a blink, of the second of two, and of all animations', () => {
    const { die, send, time, notified } = dieWith();
    send({ ...blink, durationMs: 60_000, loopCount: 9 });
    send({ ...blink, loopCount: 1 });
    time.advance(1000);
    expect(die.state.blink).to.equal(null);
    expect(time.pending).to.equal(0);
    send({ ...blink, loopCount: 9 });
    notified();
    send({ _tag: 'StopAllAnimations' });
    expect(die.state.leds).to.deep.equal(Array(20).fill(dark));
    expect(notified()).to.deep.equal([]);
    expect(time.pending).to.equal(0);
  });
});

describe('advertisements of a Pixels die', () => {
  const advertised = (start: Partial<PixelStart>): readonly [string, string] => {
    const { die } = dieWith(start);
    return [
      advertisementOf(die.state, die.batteryState).toString('hex').toUpperCase(),
      scanResponseOf(die.state).toString('hex').toUpperCase(),
    ];
  };

  it('are those of its profile, byte by byte', () => {
    const name = '0E09506978656C3132333435363738';
    expect(advertised({ firmware: '2025-01-03' })).to.deep.equal([
      `020106 03030A18 08FF390D1473051350 ${name}`.replaceAll(' ', ''),
      '11075B9BDC8E0C3562A9F2435A7A0100B9A60B160A1878563412D05E7867',
    ]);
    expect(advertised({})).to.deep.equal([
      `020106 03030A18 08FFFFFF1473051350 ${name}`.replaceAll(' ', ''),
      '11079ECADC240EE5A9E093F3A3B50100406E0B160A1878563412FCBA2C67',
    ]);
  });

  it('have 13 characters of a longer name, and none of an empty one', () => {
    const [long] = advertised({ name: 'A die of mine alone' });
    expect(long.endsWith(`0E08${Buffer.from('A die of mine').toString('hex').toUpperCase()}`)).to.equal(true);
    const [empty] = advertised({ name: '' });
    expect(empty).to.equal('02010603030A1808FFFFFF1473051350');
  });
});
