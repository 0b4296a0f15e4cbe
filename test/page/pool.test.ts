import { expect } from 'chai';
import { describe, it } from 'mocha';
import { rows } from '../support/rows.js';
import { outcomeOf, thrown } from './throws.js';

/** A formula, rolls in their order, and the total or the missing dice. */
const THROWS = rows(
  3,
  `
  2d6+3        | d6 4 5                | 12
  D8 - d4 - 1  | d4 3, d8 7            | 3
  4d6kh3       | d6 1 6 2 5            | 13
  2d6kl        | d6 4 2                | 2
  advantage+2  | d20 4 15              | 17
  disadvantage | d20 4 15              | 4
  2d10         | d10 0 9               | 19
  d%           | d10 7, d10x 40        | 47
  d%           | d10x 0, d10 7         | 7
  d%           | d10x 30, d10 0        | 30
  d%           | d10x 0, d10 0         | 100
  2d100kh      | d10x 90 0, d10 9 0    | 100
  4dF          | fudge -1 -1 0 1       | -1
  2df+1        | fudge -1 -1           | -1
  2dFkh        | fudge -1 0            | 0
  dF+d6        | d6 3                  | 1 fudge
  2d6+d20      | d8 8, d6 2            | 1 d6, 1 d20
  2d6          | d6 1 2, d8 8          | 3
  2d6          | d6 1 2 3              | 1 d6
  2d6          | d6 1 2 3 4            | 7
  `,
);

describe('A pool of dice', () => {
  for (const [formula, rolls, outcome] of THROWS)
    it(`turns ${formula} and the rolls ${rolls} into ${outcome}`, () => {
      expect(outcomeOf(thrown(formula, rolls))).to.equal(outcome);
    });

  it('ignores rolls of dice that are not in the pool', () => {
    expect(thrown('2d6+d20', 'd8 8, d6 2').rolls).to.have.lengthOf(1).with.nested.property('[0].face', 2);
  });

  for (const [formula, rolls, dropped] of [
    ['4d6kh3', 'd6 1 6 2 5', [1]],
    ['4d6dl1dh1', 'd6 3 6 3 1', [6, 1]],
    ['2d100kl', 'd10x 90 0, d10 9 0', [0, 0]],
    ['2d6kl+d6', 'd6 4 2 6', [4]],
    ['4d6kh3', 'd6 1 6', []],
  ] as const) {
    it(`drops ${dropped.join(' and ') || 'nothing'} of the rolls ${rolls} for ${formula}`, () => {
      expect(thrown(formula, rolls).dropped.map(({ face }) => face)).to.have.members(dropped);
    });
  }
});
