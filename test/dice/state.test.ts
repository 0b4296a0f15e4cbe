import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import type { DiceEvent } from '../../src/dice/contract.js';
import { goDice } from '../../src/dice/drivers/godice/driver.js';
import type { Report } from '../../src/dice/port/driver.js';
import {
  applyReport,
  calibrated,
  calibrationOf,
  diceTypeOf,
  faceUp,
  happenedDuringLoss,
  initialState,
  noOffset,
  withDiceType,
  withoutLink,
  type DieState,
} from '../../src/dice/state.js';
import { advertisementOf, startOf } from '../support/dice-fixture.js';

/** The exact vectors of faces 1 and 6 of a D6 (docs/godice-protocol.md §5.2). */
const ONE = { x: -64, y: 0, z: 0 };
const SIX = { x: 64, y: 0, z: 0 };

const fresh = startOf('d6');

const after = (state: DieState, ...notifications: readonly Report[]): DieState =>
  notifications.reduce((before, notification) => applyReport(before, notification)[0], state);

const resting = (_tag: 'Stable' | 'FakeStable' | 'TiltStable' | 'MoveStable', acceleration = ONE) => ({
  _tag,
  acceleration,
});

describe('The state of a die', () => {
  it('begins with the data of its advertisement', () => {
    const state = startOf('d20', 'GoDice_A1B2C3_G_v04', -60);
    expect(state.type).to.deep.include({ diceType: 'd20', offset: noOffset });
    expect(state).to.deep.include({
      name: 'GoDice_A1B2C3_G_v04',
      battery: null,
      colour: 'green',
      charging: null,
      rssi: -60,
      rolling: false,
      rest: null,
      beforeLoss: null,
    });
    expect(startOf('d6', 'GoDice')).to.include({
      name: 'GoDice',
      colour: null,
      rssi: null,
    });
    expect(fresh).to.include({ name: null, colour: null });
  });

  const changes: readonly (readonly [Report, Partial<DieState>, DiceEvent | null])[] = [
    [{ _tag: 'RollStart' }, { rolling: true, rest: null }, { kind: 'RollStart' }],
    ...(['Stable', 'FakeStable', 'TiltStable', 'MoveStable'] as const).map(
      (kind) =>
        [
          resting(kind),
          { rolling: false, rest: resting(kind) },
          { kind, face: 1, acceleration: ONE },
        ] as const,
    ),
    [{ _tag: 'Battery', level: 57 }, { battery: 57 }, { kind: 'BatteryLevel', level: 57 }],
    [{ _tag: 'Charging', on: true }, { charging: true }, { kind: 'Charging', charging: true }],
    [{ _tag: 'Colour', colour: 'blue' }, { colour: 'blue' }, null],
    [{ _tag: 'Tap' }, {}, { kind: 'Tap' }],
    [{ _tag: 'DoubleTap' }, {}, { kind: 'DoubleTap' }],
  ];
  for (const [notification, change, event] of changes) {
    it(`changes with ${notification._tag}`, () => {
      const before = after(startOf('d6', 'GoDice', -50), resting('TiltStable', SIX));
      expect(applyReport(before, notification)).to.deep.equal([{ ...before, ...change }, event]);
    });
  }

  it('has a face up only while it rests', () => {
    expect(faceUp(fresh)).to.equal(null);
    const rests = after(fresh, resting('TiltStable', SIX));
    expect(faceUp(rests)).to.equal(6);
    expect(faceUp(after(rests, { _tag: 'RollStart' }))).to.equal(null);
  });

  it('can be calibrated after Stable and MoveStable alone', () => {
    const level = { face: 1, offset: noOffset };
    expect(calibrationOf(fresh)).to.equal(null);
    expect(calibrationOf(after(fresh, resting('Stable')))).to.deep.equal(level);
    expect(calibrationOf(after(fresh, resting('MoveStable')))).to.deep.equal(level);
    expect(calibrationOf(after(fresh, resting('TiltStable')))).to.equal(null);
    expect(calibrationOf(after(fresh, resting('FakeStable')))).to.equal(null);
  });

  it('has no face without a link, but everything else, and the motion before', () => {
    const rolling = after(fresh, { _tag: 'Battery', level: 9 }, resting('Stable'), { _tag: 'RollStart' });
    expect(withoutLink(rolling)).to.deep.equal({
      ...{ ...fresh, battery: 9, beforeLoss: { rolling: true, position: null } },
    });
    expect(withoutLink(after(rolling, resting('Stable')))).to.deep.equal({
      ...{ ...fresh, battery: 9, beforeLoss: { rolling: false, position: { acceleration: ONE } } },
    });
  });

  it('keeps the motion before a loss through a second loss', () => {
    const lost = withoutLink(after(fresh, resting('Stable')));
    expect(withoutLink(lost)).to.deep.equal(lost);
  });

  describe('after a loss', () => {
    const rollStart: Report = { _tag: 'RollStart' };
    const rolls = withoutLink(after(fresh, rollStart));
    const lies = withoutLink(after(fresh, resting('Stable')));
    const unknown: DieState = { ...fresh, beforeLoss: { rolling: false, position: null } };
    for (const [title, before, report, isNew] of [
      ['has no news if nothing was known before', withoutLink(fresh), rollStart, false],
      ['has ended a roll', rolls, resting('TiltStable'), true],
      ['still rolls', rolls, rollStart, false],
      ['rolls again', lies, rollStart, true],
      ['rests on the same face in another way', lies, resting('TiltStable'), false],
      ['rests on another face', lies, resting('Stable', SIX), true],
      ['rests on a face though none was known before', unknown, resting('Stable'), false],
      ['reports no movement', lies, { _tag: 'Battery', level: 9 }, false],
    ] as const) {
      it(title, () => expect(happenedDuringLoss(before, after(before, report))).to.equal(isNew));
    }
  });

  describe('with a reported type', () => {
    const reported = initialState(
      goDice,
      { type: 'd20' },
      { diceType: 'd6', offset: noOffset },
      advertisementOf(),
    );
    const rests = after(reported, { _tag: 'Stable', face: 17 });

    it('keeps its type and its faces', () => {
      expect(diceTypeOf(reported)).to.equal('d20');
      expect(withDiceType(reported, 'd20')).to.deep.equal(E.right(reported));
      expect(withDiceType(reported, 'd6')).to.deep.equal(
        E.left({ _tag: 'WrongDiceType', requested: 'd6', actual: 'd20' }),
      );
      expect(faceUp(rests)).to.equal(17);
      expect(calibrationOf(rests)).to.equal(null);
    });

    it('has no acceleration in its events', () => {
      expect(applyReport(reported, { _tag: 'Stable', face: 17 })[1]).to.deep.equal({
        ...{ kind: 'Stable', face: 17, acceleration: null },
      });
    });

    it('has no face for an acceleration, and no calibration', () => {
      const [state, event] = applyReport(reported, resting('Stable'));
      expect([faceUp(state), event, calibrationOf(state)]).to.deep.equal([null, null, null]);
      expect(calibrated(state, { face: 1, offset: ONE })).to.equal(state);
    });

    it('remembers its face through a loss', () => {
      expect(withoutLink(rests).beforeLoss).to.deep.equal({ rolling: false, position: { face: 17 } });
    });
  });

  describe('calibrated', () => {
    const offset = { x: 14, y: -20, z: 30 };

    it('has the distance from the exact vector as its offset, which corrects faces', () => {
      const calibration = calibrationOf(after(fresh, resting('Stable', { x: 50, y: 20, z: -30 })));
      expect(calibration).to.deep.equal({ face: 6, offset });
      const state = calibrated(fresh, { face: 6, offset });
      expect(state.type).to.deep.include({ diceType: 'd6', offset });
      // Without the offset the face is 3.
      expect(faceUp(after(fresh, resting('Stable', { x: 24, y: 2, z: -30 })))).to.not.equal(6);
      expect(faceUp(after(state, resting('Stable', { x: 24, y: 2, z: -30 })))).to.equal(6);
    });

    it('limits a corrected measurement to a signed byte', () => {
      const far = calibrated(fresh, { face: 6, offset: { x: 100, y: -100, z: 0 } });
      // Without the limits the y of both would be the longest.
      expect(faceUp(after(far, resting('Stable', { x: 127, y: -128, z: 0 })))).to.equal(
        faceUp(after(fresh, resting('Stable', { x: 127, y: -128, z: 0 }))),
      );
      const low = calibrated(fresh, { face: 1, offset: { x: -100, y: -10, z: 0 } });
      expect(faceUp(after(low, resting('Stable', { x: -128, y: -110, z: 0 })))).to.equal(1);
    });

    it('leaves the measured acceleration as it is', () => {
      const state = after(calibrated(fresh, { face: 6, offset }), resting('Stable', SIX));
      expect(state.rest).to.deep.equal(resting('Stable', SIX));
    });

    it('loses its offset with its shell, and with no other change', () => {
      const state = calibrated(fresh, { face: 6, offset });
      expect(withDiceType(state, 'd6')).to.deep.equal(E.right(state));
      expect(withDiceType(state, 'd20')).to.deep.equal(E.right(startOf('d20')));
    });
  });
});
