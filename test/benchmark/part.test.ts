import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isHeld, measure, scaled, type Figure, type Part } from './part.js';
import { medianOf, quantileOf, quartilesOf } from '../support/statistics.js';
import { comparisonOf, tableOf } from './table.js';

/** A part with one figure, whose sides return these values one after another. */
const partOf = (ours: readonly number[], floor: readonly number[], played: string[] = []): Part => {
  const [left, right] = [[...ours], [...floor]];
  return {
    name: 'part',
    summary: 'one against the other',
    *matches() {
      yield {
        figures: { rate: { unit: 'events/s', goal: { atLeast: 0.9 } } },
        ours: () => {
          played.push('ours');
          return Promise.resolve({ rate: left.shift() ?? NaN });
        },
        floor: () => {
          played.push('floor');
          return Promise.resolve({ rate: right.shift() ?? NaN });
        },
      };
    },
  };
};

const measured = async (part: Part, rounds: number): Promise<Figure> => {
  const [figure] = await measure(part, { rounds, size: 1 });
  if (figure === undefined) throw new Error('no figure was measured');
  return figure;
};

describe('The benchmark', () => {
  it('interpolates quantiles between two values', () => {
    expect(medianOf([3, 1, 2])).to.equal(2);
    expect(medianOf([4, 1, 2, 3])).to.equal(2.5);
    expect(quantileOf([10, 20], 0.1)).to.equal(11);
    expect(quartilesOf([1, 2, 3, 4, 5])).to.deep.equal([2, 4]);
    expect(medianOf([])).to.be.NaN;
  });

  it('starts with each side in turn, and takes the median of the ratios of rounds', async () => {
    const played: string[] = [];
    const { ours, floor, ratio, spread, holds } = await measured(
      partOf([80, 300, 100], [100, 200, 100], played),
      3,
    );
    expect(played).to.deep.equal(['ours', 'floor', 'floor', 'ours', 'ours', 'floor']);
    expect({ ours, floor, ratio, holds }).to.deep.equal({ ours: 100, floor: 100, ratio: 1, holds: true });
    expect(spread).to.deep.equal([0.9, 1.25]);
  });

  it('reports whether a goal is held', async () => {
    expect(isHeld({ atLeast: 0.9 }, 0.9)).to.equal(true);
    expect(isHeld({ atMost: 1.5 }, 1.6)).to.equal(false);
    expect((await measured(partOf([80], [100]), 1)).holds).to.equal(false);
  });

  it('counts at least one of anything, even at a small size', () => {
    expect(scaled({ rounds: 1, size: 0.5 }, 100)).to.equal(50);
    expect(scaled({ rounds: 1, size: 0.001 }, 100)).to.equal(1);
  });

  it('shows figures, and their changes since another run', async () => {
    const before = await measured(partOf([80], [100]), 1);
    const after = await measured(partOf([1_600], [1_000]), 1);
    expect(
      tableOf([after])
        .split('\n')
        .map((line) => line.split(/\s{2,}/)),
    ).to.deep.equal([
      ['part', 'figure', 'ours', 'floor', 'unit', 'ratio', 'quartiles', 'goal'],
      ['part', 'rate', '1,600', '1,000', 'events/s', '1.60 ×', '1.60–1.60', '≥ 0.9', 'held'],
    ]);
    expect(comparisonOf([before], [after])).to.contain('0.80 ×  1.60 ×  2.00 ×');
  });
});
