import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  ALL_FACES,
  type KnownDieType,
  type Notification,
  type RollState,
} from '../../../src/protocols/pixels/index.js';
import { USUAL_BEHAVIOUR } from '../../../simulators/devices/any-die/behaviour.js';
import { anyIndexOf, indexOf } from '../../../simulators/devices/pixels/faces.js';
import { FIRMWARE, releaseOf, type Firmware } from '../../../simulators/devices/pixels/firmware.js';
import type { PixelModel } from '../../../simulators/devices/pixels/model.js';
import type { Ending } from '../../../simulators/devices/pixels/state.js';
import { seededRng } from '../../../simulators/radio/index.js';
import { dieWith } from './scene.js';

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

const oldReleases: readonly Firmware[] = ['2023-11-17', '2024-02-06', '2024-09-27', '2024-10-11'];
const isOld = (firmware: Firmware): boolean => oldReleases.includes(firmware);

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

  it('notifies no state twice in a row during a roll', () => {
    const { die, notified, time } = dieWith();
    die.roll({ ...ROLL, via: 19, ending: 'stable' });
    const rolling = [0, 250, 750].map((ms) => {
      time.advance(ms);
      return die.state.rolling;
    });
    expect(rolling).to.deep.equal([false, true, false]);
    expect(notified()).to.deep.equal([state('handling', 19), state('rolling', 19), state('rolled', 11)]);
  });

  it('is on its face a frame after a roll, without a notification', () => {
    const { die, notified, send, time } = dieWith();
    die.roll({ ...ROLL, ending: 'stable' });
    time.advance(1159);
    notified();
    send({ _tag: 'RequestRollState' });
    expect(notified()).to.deep.equal([state('rolled', 11)]);
    time.advance(1);
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

  it('reports that it lies crooked by its firmware and type', () => {
    const crooked = (type: KnownDieType): readonly Firmware[] =>
      FIRMWARE.filter((firmware) => releaseOf(firmware).reportsCrooked(type));
    expect(crooked('d4')).to.deep.equal(FIRMWARE.filter((firmware) => firmware !== '2024-09-27'));
    expect(crooked('d6')).to.deep.equal(['2023-11-17', '2024-02-06']);
    expect(crooked('d20')).to.deep.equal([]);
  });

  it('rolls once when it is rolled again in the air', () => {
    const { die, notified, time } = dieWith();
    die.roll({ to: 3, via: 7, ending: 'stable', rollMs: 1000 });
    time.advance(500);
    die.roll({ ...ROLL, ending: 'stable' });
    time.advance(5000);
    expect(notified().filter((sent) => sent._tag === 'RollState' && sent.state === 'rolled')).to.deep.equal([
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

  it('wakes when it is rolled or turned', () => {
    const [rolled, turned] = [dieWith({ asleep: true }).die, dieWith({ asleep: true }).die];
    rolled.roll({ ...ROLL, ending: 'stable' });
    turned.turn(3);
    expect([rolled.awake, turned.awake]).to.deep.equal([true, true]);
  });

  it('reports handling when it wakes, and rest three frames later', () => {
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
      expect(Object.keys(answer ?? {}).includes('name')).to.equal(profile === 'current');
    }
  });

  it('answers requests of battery, temperature, ids and names', () => {
    const { die, send, notified } = dieWith();
    send({ _tag: 'RequestBatteryLevel' }, { _tag: 'RequestTemperature' });
    send({ _tag: 'BlinkId', brightness: 255, loopCount: 1 }, { _tag: 'SetName', name: 'Bob' });
    expect(notified()).to.deep.equal([
      battery(80, 'ok'),
      { _tag: 'Temperature', mcu: 28.26, battery: 25.1 },
      { _tag: 'BlinkIdAck' },
      { _tag: 'SetNameAck' },
    ]);
    expect(die.state.name, 'until the link has ended').to.equal('Pixel12345678');
    die.linkEnded();
    expect(die.state.name).to.equal('Bob');
  });

  it('ignores messages that it does not know, that are too short, or empty', () => {
    const { die, notified } = dieWith();
    for (const hex of ['', '00', '7f', '1d01', '3503', '13021301', '1a02f401'])
      die.write(Buffer.from(hex, 'hex'));
    expect(notified()).to.deep.equal([]);
  });

  it('repeats its signal strength when it has changed, at most each second', () => {
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

  it('was built on the day of its release', () => {
    expect(FIRMWARE.map((firmware) => releaseOf(firmware).builtAt.toISOString().slice(0, 10))).to.deep.equal(
      FIRMWARE,
    );
  });

  it('keeps its name and its lights when a link ends without a new name, and leaves no timer when it is closed', () => {
    const { die, send, time } = dieWith();
    const colour = { r: 1, g: 2, b: 3 };
    const blink = { count: 1, durationMs: 1000, colour, faceMask: ALL_FACES, fade: 0, loopCount: 1 };
    send({ _tag: 'Blink', ...blink });
    die.linkEnded();
    expect(die.state).to.deep.include({ name: 'Pixel12345678', leds: Array(20).fill(colour) });
    die.roll({ ...ROLL, ending: 'stable' });
    send({ _tag: 'RequestRssi', mode: 'repeat', minIntervalMs: 0 });
    die.close();
    expect(time.pending).to.equal(0);
  });

  for (const [operation, keepsLinks, drops] of [
    ['sleep', false, 0],
    ['reset', true, 1],
  ] as const) {
    it(`answers nothing to ${operation}`, () => {
      const scene = dieWith();
      scene.send({ _tag: 'PowerOperation', operation });
      expect([scene.die.keepsLinks, scene.drops()]).to.deep.equal([keepsLinks, drops]);
      expect(scene.notified()).to.deep.equal([]);
      scene.die.close();
    });
  }
});

describe('model of a Pixels die: battery', () => {
  const cases: readonly (readonly [string, (die: PixelModel) => void, readonly Notification[]])[] = [
    ['a changed level', (die) => die.setBattery(76), [battery(76, 'ok')]],
    ['a level that is not low yet', (die) => die.setBattery(10), [battery(10, 'ok')]],
    ['the same level', (die) => die.setBattery(80), []],
    ['a low level, and the low state', (die) => die.setBattery(9), [battery(9, 'low'), battery(9, 'low')]],
    ['the charger', (die) => die.charge(true), [battery(80, 'charging')]],
  ];
  for (const [change, act, messages] of cases) {
    it(`notifies ${change}`, () => {
      const { die, notified } = dieWith();
      act(die);
      expect(notified()).to.deep.equal(messages);
    });
  }

  it('advertises with an empty battery on its charger only, and is done when it is full', () => {
    const { die, notified } = dieWith({ batteryLevel: 0 });
    expect(die.awake).to.equal(false);
    die.charge(true);
    expect(die.awake).to.equal(true);
    notified();
    die.setBattery(100);
    expect(notified()).to.deep.equal([battery(100, 'done'), battery(100, 'done')]);
    die.charge(false);
    expect(notified()).to.deep.equal([battery(100, 'ok')]);
  });
});
