import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { EXAMPLES, lastThrow, readPool, type Roll } from '../../src/page/dice/pool.js';

type Rolled = readonly [Exclude<Roll['type'], null>, number];

const rollsOf = (rolled: readonly Rolled[]): readonly Roll[] =>
  rolled.map(([type, face], index) => ({
    key: String(index),
    session: type,
    address: '',
    type,
    color: null,
    face,
    time: '',
  }));

const thrown = (text: string, rolled: readonly Rolled[]) => {
  const pool = readPool(text);
  if (E.isLeft(pool)) throw new Error(`${pool.left} is not understood`);
  return lastThrow(pool.right, rollsOf(rolled));
};

const totalOf = (text: string, ...rolled: readonly Rolled[]): number | null => thrown(text, rolled).total;

describe('A pool of dice', () => {
  it('adds dice and numbers, and takes them away', () => {
    expect(totalOf('2d6+3', ['d6', 4], ['d6', 5])).to.equal(12);
    expect(totalOf(' D8 - d4 - 1 ', ['d4', 3], ['d8', 7])).to.equal(3);
  });

  it('keeps the highest or the lowest', () => {
    expect(totalOf('4d6kh3', ['d6', 1], ['d6', 6], ['d6', 2], ['d6', 5])).to.equal(13);
    expect(totalOf('2d6kl', ['d6', 4], ['d6', 2])).to.equal(2);
    expect(totalOf('advantage+2', ['d20', 4], ['d20', 15])).to.equal(17);
    expect(totalOf('disadvantage', ['d20', 4], ['d20', 15])).to.equal(4);
  });

  it('counts 0 of a d10 as ten, and 00 with 0 as a hundred', () => {
    expect(totalOf('2d10', ['d10', 0], ['d10', 9])).to.equal(19);
    expect(totalOf('d%', ['d10', 7], ['d10x', 40])).to.equal(47);
    expect(totalOf('d%', ['d10x', 0], ['d10', 7])).to.equal(7);
    expect(totalOf('d%', ['d10x', 30], ['d10', 0])).to.equal(30);
    expect(totalOf('d%', ['d10x', 0], ['d10', 0])).to.equal(100);
  });

  it('adds fudge dice, whose sum may be negative', () => {
    const two: readonly Rolled[] = [
      ['fudge', -1],
      ['fudge', -1],
    ];
    expect(totalOf('4dF', ...two, ['fudge', 0], ['fudge', 1])).to.equal(-1);
    expect(totalOf('2df+1', ...two)).to.equal(-1);
    expect(totalOf('2dFkh', ['fudge', -1], ['fudge', 0])).to.equal(0);
    expect(thrown('dF+d6', [['d6', 3]]).missing).to.deep.equal([{ type: 'fudge', count: 1 }]);
  });

  it('lists the missing dice, and leaves out dice that are not in the pool', () => {
    const { missing, total, rolls } = thrown('2d6+d20', [
      ['d8', 8],
      ['d6', 2],
    ]);
    expect(total).to.equal(null);
    expect(rolls.map(({ face }) => face)).to.deep.equal([2]);
    expect(missing).to.deep.equal([
      { type: 'd6', count: 1 },
      { type: 'd20', count: 1 },
    ]);
  });

  it('begins another throw with the next roll that it asks for', () => {
    const two: readonly Rolled[] = [
      ['d6', 1],
      ['d6', 2],
    ];
    expect(totalOf('2d6', ...two, ['d8', 8])).to.equal(3);
    expect(thrown('2d6', [...two, ['d6', 3]]).missing).to.deep.equal([{ type: 'd6', count: 1 }]);
    expect(totalOf('2d6', ...two, ['d6', 3], ['d6', 4])).to.equal(7);
  });

  it('understands its own examples', () => {
    expect(EXAMPLES.map(readPool).filter(E.isLeft)).to.deep.equal([]);
  });

  for (const text of ',3,d7,0d6,21d6,2d6kh3,2d6kh0,two d6,2d6+,d6d6,d6*2,dFF,F'.split(',')) {
    it(`does not understand "${text}"`, () => {
      expect(E.isLeft(readPool(text))).to.equal(true);
    });
  }
});
