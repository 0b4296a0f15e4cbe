/** Tests of the judge of a load run, which must find each error. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import { diceDifferences } from './dice-truth.js';
import { differences, pair, type Due, type Interference } from './truth.js';
import { lossyFor } from './verdict.js';
import type { DeviceLink } from './witness.js';

const DIE = 'D1:CE:00:00:00:01';
const CALM: Interference = { lossy: [], disconnects: [] };

/** `Bat` 100, `S` 1 2 3, `Char` 0: the first notifications of a die. */
const BURST = ['42617464', '53010203', '4368617200'];
const ROLL = '52';
const REST = '53040506';

/** A link of a minute, with the initialisation of the die, and these notifications after 20 s. */
const linkOf = (values: readonly string[], from = 0): DeviceLink => ({
  ...{ address: DIE, from, to: from + 60_000 },
  written: [{ at: from + 10, characteristic: undefined, value: Buffer.from('19', 'hex') }],
  notified: values.map((hex, index) => ({
    ...{ at: from + 20_000 + index, characteristic: undefined, value: Buffer.from(hex, 'hex') },
  })),
});

const eventAt = (at: number, event: object): DetailedDiceEvent =>
  ({
    ...{ session_id: 's', address: DIE, time: new Date(at).toISOString(), seq: 1, instance: 'i' },
    ...event,
  }) as DetailedDiceEvent;

const rollStart = eventAt(21_000, { kind: 'RollStart' });
const stable = (x: number, y: number, z: number, at = 22_000): DetailedDiceEvent =>
  eventAt(at, { kind: 'Stable', face: 1, acceleration: { x, y, z } });
const disconnected = (at = 60_000): DetailedDiceEvent => eventAt(at, { kind: 'Disconnected' });

const differencesOf = (
  values: readonly string[],
  reported: readonly DetailedDiceEvent[],
  interference = CALM,
): readonly string[] => diceDifferences([linkOf(values)], [...reported, disconnected()], interference);

describe('The judge of a load run', () => {
  it('accepts events that were reported once and in order, and a dropped burst', () => {
    expect(differencesOf([...BURST, ROLL, REST], [rollStart, stable(4, 5, 6)])).to.deep.equal([]);
  });

  const wrong: readonly (readonly [string, readonly DetailedDiceEvent[]])[] = [
    ['missing', [rollStart]],
    ['doubled', [rollStart, rollStart, stable(4, 5, 6)]],
    ['swapped', [stable(4, 5, 6), rollStart]],
    ['made up', [rollStart, stable(4, 5, 7)]],
  ];
  for (const [defect, reported] of wrong) {
    it(`finds an event that is ${defect}`, () => {
      expect(differencesOf([...BURST, ROLL, REST], reported)).to.have.length(1);
    });
  }

  it('accepts one report or no report of the end of a roll during the initialisation', () => {
    const rest = BURST[1] ?? '';
    for (const reported of [[], [stable(1, 2, 3)]])
      expect(differencesOf([rest, ...BURST], reported)).to.deep.equal([]);
    expect(differencesOf([ROLL, rest, ...BURST], [rollStart])).to.have.length(1);
  });

  it('finds a burst of which too much was dropped', () => {
    expect(differencesOf([...BURST, ...BURST], [])).to.have.length(1);
  });

  it('finds the missing end of a roll that began before a loss and ended after it', () => {
    const links = [linkOf([...BURST, ROLL]), linkOf(BURST, 61_000)];
    const differing = (...reported: readonly DetailedDiceEvent[]): readonly string[] =>
      diceDifferences(
        links,
        [
          ...[rollStart, disconnected(), eventAt(61_500, { kind: 'Reconnected' })],
          ...[...reported, disconnected(121_000)],
        ],
        CALM,
      );
    expect(differing(stable(1, 2, 3, 82_000))).to.deep.equal([]);
    expect(differing()).to.have.length(1);
  });

  it('finds a long link without any report', () => {
    expect(diceDifferences([linkOf([])], [], CALM)).to.have.length(1);
    expect(diceDifferences([{ ...linkOf([]), to: 10_000 }], [], CALM)).to.deep.equal([]);
  });

  it('accepts losses and changes by a fault during the fault alone', () => {
    const lossy = lossyFor(DIE, [{ at_ms: 20_000, type: 'corrupt', device: DIE, for_ms: 500 }], 0);
    const reported = [rollStart, stable(7, 7, 7)];
    expect(differencesOf([ROLL, REST], reported, { ...CALM, lossy })).to.deep.equal([]);
    const others = [
      { at_ms: 30_000, type: 'corrupt', device: DIE },
      { at_ms: 20_000, type: 'delay', device: DIE },
      { at_ms: 20_000, type: 'drop', device: DIE, stage: 'advertising' },
      { at_ms: 20_000, type: 'silence', device: 'D1:CE:00:00:00:02' },
    ];
    expect(
      differencesOf([ROLL, REST], reported, { ...CALM, lossy: lossyFor(DIE, others, 0) }),
    ).to.have.length(1);
  });

  it('accepts dropped events up to the allowance of their reason', () => {
    const due = [1, 2, 3].map((at) => ({ at, says: 'x', mayKeep: ['why'] }));
    const reported = [{ at: 9, says: 'x' }];
    expect(E.isRight(pair(due, reported, { allowance: () => 2 }))).to.equal(true);
    expect(E.isRight(pair(due, reported, { allowance: () => 1 }))).to.equal(false);
  });

  const dueOn = ({ notified }: DeviceLink): readonly Due[] =>
    notified.map(({ at, value }) => ({ at, says: value.toString('hex'), mayKeep: [] }));
  const judged = { dueOn, allowance: () => 0 };
  const reportedAs = (...says: readonly string[]) => says.map((text) => ({ at: 20_100, says: text }));

  it('accepts that the last events of a link are lost with it, but no earlier events', () => {
    const values = ['aa', 'bb', 'cc'];
    const link = (to: number): DeviceLink => ({ ...linkOf(values), to });
    const differing = (to: number, disconnects: readonly number[], ...says: readonly string[]) =>
      differences([link(to)], [{ reported: reportedAs(...says), end: to }], { ...CALM, disconnects }, judged);
    expect(differing(21_000, [], 'aa'), 'the last').to.deep.equal([]);
    expect(differing(21_000, [], 'aa', 'cc'), 'one before').to.have.length(1);
    expect(differing(29_000, [], 'aa'), 'long before').to.have.length(1);
    expect(differing(29_000, [20_500], 'aa'), 'a disconnect was requested').to.deep.equal([]);
    expect(differing(31_000, [20_500], 'aa'), 'requested of another link').to.have.length(1);
  });

  it('finds the link of the events among links that end in the same moment', () => {
    const links = ['aa', 'bb', 'cc'].map((hex, index) => ({
      ...linkOf([hex]),
      ...{ from: 19_000, to: 30_000 + 100 * index },
    }));
    const attached = (end: number, ...says: readonly string[]) => ({ reported: reportedAs(...says), end });
    const both = [attached(30_000, 'bb'), attached(30_200, 'cc')];
    expect(differences(links, both, CALM, judged)).to.deep.equal([]);
    expect(differences(links, [...both].reverse(), CALM, judged)).to.have.length(1);
    expect(differences([], [attached(30_000, 'aa')], CALM, judged)).to.have.length(1);
  });
});
