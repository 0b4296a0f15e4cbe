import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fairness } from '../../src/dice/fairness.js';

/** Counts with a chi-square of `chiSquare`: two of them differ from `expected`. */
const countsOf = (sides: number, expected: number, chiSquare: number): readonly number[] => {
  const difference = Math.sqrt((chiSquare * expected) / 2);
  return Array.from({ length: sides }, (_, face) =>
    face === 0 ? expected + difference : face === 1 ? expected - difference : expected,
  );
};

/**
 * Critical values of chi-square: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4, upper-tail
 * probabilities 0.10, 0.05, 0.01 and 0.001.
 */
const TABLE = [
  { sides: 3, critical: [4.605, 5.991, 9.21, 13.816] },
  { sides: 4, critical: [6.251, 7.815, 11.345, 16.266] },
  { sides: 6, critical: [9.236, 11.07, 15.086, 20.515] },
  { sides: 8, critical: [12.017, 14.067, 18.475, 24.322] },
  { sides: 10, critical: [14.684, 16.919, 21.666, 27.877] },
  { sides: 12, critical: [17.275, 19.675, 24.725, 31.264] },
  { sides: 20, critical: [27.204, 30.144, 36.191, 43.82] },
];
const TAILS = [0.1, 0.05, 0.01, 0.001];

describe('The fairness of a die', () => {
  for (const { sides, critical } of TABLE) {
    it(`is judged with ${sides - 1} degrees of freedom for ${sides} faces`, () => {
      critical.forEach((chiSquare, index) => {
        const judged = fairness(countsOf(sides, 100, chiSquare));
        expect(judged.chiSquare).to.be.closeTo(chiSquare, 1e-9);
        expect(judged.p).to.be.closeTo(TAILS[index] ?? NaN, 5e-5);
      });
    });
  }

  it('has a p of 1 if all faces came up equally often', () => {
    expect(fairness([7, 7, 7, 7])).to.deep.equal({ chiSquare: 0, p: 1, isMeaningful: true });
  });

  it('is not meaningful if a face is expected less than five times', () => {
    expect(fairness([6, 5, 5, 4, 5, 5]).isMeaningful).to.equal(true);
    expect(fairness([6, 5, 5, 4, 5, 4]).isMeaningful).to.equal(false);
    expect(fairness([0, 0, 0, 0, 0, 0])).to.deep.equal({ chiSquare: 0, p: 1, isMeaningful: false });
  });
});
