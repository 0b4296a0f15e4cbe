import { expect } from 'chai';
import { describe, it } from 'mocha';
import { seededRng } from '../../simulators/radio/index.js';
import { growthOf, isGrowing, type Growth } from './growth.js';

const HOUR = 3600;

/** The growth of sixty samples within an hour that rise by `perHour`, with random `noise`. */
const growthWith = (perHour: number, noise: number): Growth => {
  const chance = seededRng(7);
  const growth = growthOf(
    Array.from({ length: 60 }, (_, minute) => ({
      at: minute * 60,
      value: 100 + (perHour * minute * 60) / HOUR + noise * (chance() - 0.5),
    })),
  );
  if (growth === undefined) throw new Error('there are enough samples');
  return growth;
};

describe('Growth', () => {
  it('is the slope of the best line, with its error', () => {
    // Calculated by hand: 1, 2, 4 at 0, 1, 2 s has the slope 1.5, and residuals of 1/6 over 2 degrees less.
    const { perHour, error } = growthOf([1, 2, 4].map((value, at) => ({ at, value }))) ?? {
      perHour: 0,
      error: 0,
    };
    expect(perHour / HOUR).to.be.closeTo(1.5, 1e-9);
    expect(error / HOUR).to.be.closeTo(Math.sqrt(1 / 6 / 2), 1e-9);
  });

  it('is unknown with two samples', () => {
    expect(growthOf([1, 2].map((value, at) => ({ at, value })))).to.equal(undefined);
  });

  it('is recognised despite noise, and noise is not', () => {
    expect(isGrowing(growthWith(20, 10), 8)).to.equal(true);
    expect(isGrowing(growthWith(0, 10), 8)).to.equal(false);
    expect(isGrowing(growthWith(7, 1), 8)).to.equal(false);
  });
});
