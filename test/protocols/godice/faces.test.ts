import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import { faceOf, nearestVector, vectorFor, type Acceleration } from '../../../src/protocols/godice/index.js';
import { DICE_TYPES, facesOf, type DiceType } from '../../../src/protocols/dice-values.js';

/** A second copy of the vendor's tables, in their notation, which reveals errors in the first. */
const d6 = '-64,0,0  0,0,64  0,64,0  0,-64,0  0,0,-64  64,0,0';
const d20 = [
  '-64,0,-22  42,-42,40  0,22,-64  0,22,64  -42,-42,42  22,64,0  -42,-42,-42  64,0,-22  -22,64,0  42,-42,-42',
  '-42,42,42  22,-64,0  -64,0,22  42,42,42  -22,-64,0  42,42,-42  0,-22,-64  0,-22,64  -42,42,-42  64,0,22',
].join('  ');
const d24 = [
  '20,-60,-20  20,0,60  -40,-40,40  -60,0,20  40,20,40  -20,-60,-20  20,60,20  -40,20,-40',
  '-40,40,40  -20,0,60  -20,-60,20  60,0,20  -60,0,-20  20,60,-20  20,0,-60  40,-20,-40',
  '-20,60,-20  -40,-40,-40  40,-20,40  20,-60,20  60,0,-20  40,20,-40  -20,0,-60  -20,60,20',
].join('  ');

const vectors = (table: string): readonly Acceleration[] =>
  table.split('  ').map((text) => {
    const [x = NaN, y = NaN, z = NaN] = text.split(',').map(Number);
    return { x, y, z };
  });

const oneTo = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index + 1);

const shells: Readonly<Record<DiceType, readonly [string, readonly number[]]>> = {
  d6: [d6, oneTo(6)],
  d20: [d20, oneTo(20)],
  d10: [d20, [8, 2, 6, 1, 4, 3, 9, 0, 7, 5, 5, 7, 0, 9, 3, 4, 1, 6, 2, 8]],
  d10x: [d20, [80, 20, 60, 10, 40, 30, 90, 0, 70, 50, 50, 70, 0, 90, 30, 40, 10, 60, 20, 80]],
  d4: [d24, [3, 1, 4, 1, 4, 4, 1, 4, 2, 3, 1, 1, 1, 4, 2, 3, 3, 2, 2, 2, 4, 1, 3, 2]],
  d8: [d24, [3, 3, 6, 1, 2, 8, 1, 1, 4, 7, 5, 5, 4, 4, 2, 5, 7, 7, 8, 2, 8, 3, 6, 6]],
  d12: [d24, [...oneTo(12), ...oneTo(12)]],
};

const positions = (shell: DiceType): readonly (readonly [Acceleration, number])[] => {
  const [table, faces] = shells[shell];
  return vectors(table).map((vector, index) => [vector, faces[index] ?? NaN]);
};

const measured: readonly (readonly [DiceType, Acceleration, number])[] = [
  ['d12', { x: -19, y: -58, z: -22 }, 6],
  ['d4', { x: -19, y: -58, z: -22 }, 4],
  ['d12', { x: 21, y: -58, z: -19 }, 1],
  ['d4', { x: 21, y: -58, z: -19 }, 3],
  ['d12', { x: -21, y: -1, z: 59 }, 10],
  ['d4', { x: -21, y: -1, z: 59 }, 3],
  ['d12', { x: 61, y: 1, z: 22 }, 12],
  ['d4', { x: 61, y: 1, z: 22 }, 1],
  ['d6', { x: 61, y: 1, z: 22 }, 6],
  ['d6', { x: 0, y: 64, z: -2 }, 3],
];

describe('dice protocol: faces', () => {
  it('has seven shells', () => {
    expect(DICE_TYPES).to.deep.equal(['d6', 'd20', 'd10', 'd10x', 'd4', 'd8', 'd12']);
  });

  for (const shell of DICE_TYPES) {
    it(`reads every position of the ${shell}`, () => {
      const table = positions(shell);
      expect(table).to.have.length({ d6: 6, d20: 20, d10: 20, d10x: 20, d4: 24, d8: 24, d12: 24 }[shell]);
      for (const [vector, face] of table) {
        expect(faceOf(shell, vector)).to.equal(face);
        expect(nearestVector(shell, vector)).to.deep.equal(vector);
      }
    });
  }

  for (const [shell, acceleration, face] of measured) {
    it(`reads (${acceleration.x}, ${acceleration.y}, ${acceleration.z}) of a real die as ${shell} ${face}`, () => {
      expect(faceOf(shell, acceleration)).to.equal(face);
    });
  }

  it('counts a d10 from 0 to 9 and a d10x from 0 to 90', () => {
    expect(facesOf('d10')).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(facesOf('d10x')).to.deep.equal([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
    expect(faceOf('d10', { x: -64, y: 0, z: 22 })).to.equal(0);
    expect(faceOf('d10x', { x: 64, y: 0, z: -22 })).to.equal(0);
  });

  it('counts the other shells from 1', () => {
    expect(facesOf('d4')).to.deep.equal(oneTo(4));
    expect(facesOf('d6')).to.deep.equal(oneTo(6));
    expect(facesOf('d8')).to.deep.equal(oneTo(8));
    expect(facesOf('d12')).to.deep.equal(oneTo(12));
    expect(facesOf('d20')).to.deep.equal(oneTo(20));
  });

  it('prefers the first of two equally near positions', () => {
    expect(faceOf('d6', { x: 0, y: 0, z: 0 })).to.equal(1);
    expect(faceOf('d20', { x: 64, y: 0, z: 0 })).to.equal(8);
    expect(faceOf('d12', { x: 0, y: -60, z: -20 })).to.equal(1);
  });

  it('finds a position for every face, and none for others', () => {
    for (const shell of DICE_TYPES) {
      for (const face of facesOf(shell)) {
        const vector = vectorFor(shell, face);
        expect(vector === undefined ? undefined : faceOf(shell, vector)).to.equal(face);
      }
    }
    expect(vectorFor('d10', 10)).to.be.undefined;
    expect(vectorFor('d10x', 5)).to.be.undefined;
    expect(vectorFor('d6', 0)).to.be.undefined;
    expect(vectorFor('d20', 21)).to.be.undefined;
  });

  it('keeps the face under a noise of a few counts', () => {
    const noise = fc.integer({ min: -4, max: 4 });
    const placed = fc
      .constantFrom(...DICE_TYPES)
      .chain((shell) => fc.tuple(fc.constant(shell), fc.constantFrom(...positions(shell))));
    fc.assert(
      fc.property(placed, noise, noise, noise, ([shell, [vector, face]], dx, dy, dz) => {
        const noisy = { x: vector.x + dx, y: vector.y + dy, z: vector.z + dz };
        expect(faceOf(shell, noisy)).to.equal(face);
        expect(nearestVector(shell, noisy)).to.deep.equal(vector);
      }),
      { numRuns: 1000 },
    );
  });
});
