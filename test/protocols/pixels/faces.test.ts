import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  DIE_TYPES,
  faceOf,
  facesOf,
  guessType,
  indexesOf,
  ledCountOf,
  shapeOf,
  type DieType,
  type KnownDieType,
} from '../../../src/protocols/pixels/index.js';

const NEW_BUILD = new Date('2024-02-06T00:00:00Z');
const OLD_BUILD = new Date('2024-01-01T23:00:00Z');

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const values: readonly (readonly [KnownDieType, readonly number[]])[] = [
  ['d4', [1, 2, 3, 4]],
  ['d6', range(1, 6)],
  ['d8', range(1, 8)],
  ['d10', range(0, 9)],
  ['d10x', [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]],
  ['d12', range(1, 12)],
  ['d20', range(1, 20)],
  ['d6_pipped', range(1, 6)],
  ['fudge', [1, -1, 0, 0, -1, 1]],
];

const oldValues: readonly (readonly [KnownDieType, readonly number[]])[] = [
  ['d4', [1, 1, 3, 2, 1, 4]],
  ['d6', [1, 5, 4, 3, 2, 6]],
];

const isOld = (type: KnownDieType): boolean => oldValues.some(([old]) => old === type);

describe('Pixels protocol: faces', () => {
  for (const [type, faces] of values) {
    it(`gives each index of a ${type} its value`, () => {
      expect(facesOf(type)).to.deep.equal(faces);
      for (const builtAt of [NEW_BUILD, null, ...(isOld(type) ? [] : [OLD_BUILD])]) {
        expect(faces.map((_, index) => faceOf(type, index, builtAt))).to.deep.equal(faces);
      }
      expect(faceOf(type, faces.length, NEW_BUILD)).to.equal(undefined);
    });
  }

  for (const [type, faces] of oldValues) {
    it(`corrects the indexes of a ${type} up to the last old build`, () => {
      expect(faces.map((_, index) => faceOf(type, index, OLD_BUILD))).to.deep.equal(faces);
      expect(faceOf(type, 1, new Date(OLD_BUILD.getTime() + 1000))).to.equal(2);
    });
  }

  it('finds all indexes of a value', () => {
    expect(indexesOf('d20', 20, NEW_BUILD)).to.deep.equal([19]);
    expect(indexesOf('d20', 21, NEW_BUILD)).to.deep.equal([]);
    expect(indexesOf('fudge', 0, NEW_BUILD)).to.deep.equal([2, 3]);
    expect(indexesOf('d6', 5, OLD_BUILD)).to.deep.equal([1]);
    expect(indexesOf('d4', 1, OLD_BUILD)).to.deep.equal([0, 1, 4]);
  });

  it('uses the index as the value of an unknown type', () => {
    expect(faceOf('unknown', 7, NEW_BUILD)).to.equal(7);
  });

  it('guesses the type of a die by its LEDs if the die does not report it', () => {
    const guesses: readonly (readonly [number, DieType])[] = [
      [4, 'd4'],
      [6, 'd6'],
      [8, 'd8'],
      [10, 'd10'],
      [12, 'd12'],
      [20, 'd20'],
      [21, 'd6_pipped'],
      [7, 'unknown'],
    ];
    for (const [leds, type] of guesses) expect(guessType('unknown', leds)).to.equal(type);
    expect(guessType('fudge', 6)).to.equal('fudge');
  });

  it('has the number of LEDs of each type', () => {
    expect(values.map(([type]) => ledCountOf(type))).to.deep.equal([6, 6, 8, 10, 10, 12, 20, 21, 6]);
  });

  it('treats a pipped d6 as a d6', () => {
    expect(DIE_TYPES.map(shapeOf)).to.deep.equal([
      ...[null, 'd4', 'd6', 'd8', 'd10', 'd10x', 'd12', 'd20', 'd6', 'fudge'],
    ]);
  });
});
