import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { EXAMPLES, lastThrow, readPool, type Roll, type Throw } from '../../src/page/dice/pool.js';
import { rows } from '../support/rows.js';

/** `d6 4, d20 15`: each roll is a type and a face. */
const rollsIn = (text: string): readonly Roll[] =>
  text.split(', ').map((roll, index) => {
    const [type = '', face] = roll.split(' ');
    return { address: '', time: String(index), type: type as Roll['type'], face: Number(face) };
  });

const thrown = (formula: string, rolls: string): Throw => {
  const pool = readPool(formula);
  if (E.isLeft(pool)) throw new Error(`${pool.left} is not understood`);
  return lastThrow(pool.right, rollsIn(rolls));
};

/** A formula, rolls in their order, and the total or the missing dice. */
const THROWS = rows(
  3,
  `
  2d6+3        | d6 4, d6 5                           | 12
  D8 - d4 - 1  | d4 3, d8 7                           | 3
  4d6kh3       | d6 1, d6 6, d6 2, d6 5               | 13
  2d6kl        | d6 4, d6 2                           | 2
  advantage+2  | d20 4, d20 15                        | 17
  disadvantage | d20 4, d20 15                        | 4
  2d10         | d10 0, d10 9                         | 19
  d%           | d10 7, d10x 40                       | 47
  d%           | d10x 0, d10 7                        | 7
  d%           | d10x 30, d10 0                       | 30
  d%           | d10x 0, d10 0                        | 100
  4dF          | fudge -1, fudge -1, fudge 0, fudge 1 | -1
  2df+1        | fudge -1, fudge -1                   | -1
  2dFkh        | fudge -1, fudge 0                    | 0
  dF+d6        | d6 3                                 | 1 fudge
  2d6+d20      | d8 8, d6 2                           | 1 d6, 1 d20
  2d6          | d6 1, d6 2, d8 8                     | 3
  2d6          | d6 1, d6 2, d6 3                     | 1 d6
  2d6          | d6 1, d6 2, d6 3, d6 4               | 7
  `,
);

describe('A pool of dice', () => {
  for (const [formula, rolls, outcome] of THROWS)
    it(`turns ${formula} and the rolls ${rolls} into ${outcome}`, () => {
      const { total, missing } = thrown(formula, rolls);
      const stillToRoll = missing.map(({ type, count }) => `${count} ${type}`).join(', ');
      expect(total === null ? stillToRoll : String(total)).to.equal(outcome);
    });

  it('ignores rolls of dice that are not in the pool', () => {
    expect(thrown('2d6+d20', 'd8 8, d6 2').rolls).to.have.lengthOf(1).with.nested.property('[0].face', 2);
  });

  it('understands its own examples', () => {
    expect(EXAMPLES.map(readPool).filter(E.isLeft)).to.deep.equal([]);
  });

  for (const text of ',3,d7,0d6,21d6,2d6kh3,2d6kh0,two d6,2d6+,d6d6,d6*2,dFF,F'.split(','))
    it(`does not understand "${text}"`, () => {
      expect(E.isLeft(readPool(text))).to.equal(true);
    });
});
