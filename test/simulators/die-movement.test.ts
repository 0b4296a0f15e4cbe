import { expect } from 'chai';
import { describe, it } from 'mocha';
import { faceOf, vectorFor, type Notification } from '../../src/protocols/godice/index.js';
import { DICE_TYPES, facesOf } from '../../src/protocols/dice-values.js';
import { anyFaceOf, measureOn } from '../../simulators/devices/godice/actions.js';
import type { Ending } from '../../simulators/devices/godice/state.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/any-die/behaviour.js';
import { seededRng } from '../../simulators/radio/index.js';
import { resting, other, dieWith } from './die-scene.js';

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

  it('ends only once when it is rolled again in the air', () => {
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
    expect(time.pending).to.equal(0);
  });

  it('reports a turn without a roll', () => {
    const { die, notified } = dieWith();
    die.turn(other);
    expect(notified()).to.deep.equal([{ _tag: 'Stable', acceleration: other }]);
    expect(die.state.resting).to.deep.equal(other);
  });

  it('ends a roll when it is turned', () => {
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

  it('measures every face of every shell so that a host reads the same face', () => {
    const rng = seededRng(7);
    for (const shell of DICE_TYPES) {
      for (const face of facesOf(shell)) {
        for (let roll = 0; roll < 50; roll += 1) {
          const measured = measureOn(shell, face, rng) ?? expect.fail(`${shell} ${face}`);
          const table = vectorFor(shell, face) ?? expect.fail(`${shell} ${face}`);
          expect(faceOf(shell, measured)).to.equal(face);
          expect(Math.abs(measured.x - table.x)).to.be.at.most(3);
        }
      }
    }
    expect(measureOn('d10', 10, rng)).to.be.undefined;
  });

  it('can come up with every face', () => {
    const rng = seededRng(3);
    const seen = new Set(Array.from({ length: 500 }, () => anyFaceOf('d20', rng)));
    expect([...seen].sort((a, b) => a - b)).to.deep.equal(facesOf('d20'));
  });

  for (const [chance, deviation] of [
    [0, -3],
    [0.5, 0],
    [0.999, 3],
  ] as const) {
    it(`measures with a deviation of ${deviation} counts from the table`, () => {
      const { x, y, z } = vectorFor('d6', 1) ?? expect.fail();
      const measured = measureOn('d6', 1, () => chance);
      expect(measured).to.deep.equal({ x: x + deviation, y: y + deviation, z: z + deviation });
    });
  }
});
