/** A test of fairness of a die by its rolls. */

interface Fairness {
  /** Pearson's chi-square. */
  readonly chiSquare: number;
  /** The probability that a fair die looks at least as unfair. */
  readonly p: number;
  /** Whether each face is expected at least five times: `p` has no meaning below that. */
  readonly isMeaningful: boolean;
}

const LEAST_EXPECTED = 5;
const TINY = 1e-12;
/** Above this value e^-x is too small for the series, and no fair die is as unfair. */
const CERTAIN = 500;

/** The lower regularised incomplete gamma function P(a, x) of halves and whole numbers, 1/2, 1 and so on, by its series: DLMF 8.7.1. */
const lowerGamma = (a: number, x: number): number => {
  if (x === 0) return 0;
  if (x > CERTAIN) return 1;
  let term = Math.exp(-x) / (Number.isInteger(a) ? 1 : Math.sqrt(Math.PI * x));
  for (let factor = a; factor > 0; factor--) term *= x / factor;
  let sum = 0;
  for (let n = 1; term > sum * TINY; n++) {
    sum += term;
    term *= x / (a + n);
  }
  return sum;
};

export const fairness = (counts: readonly number[]): Fairness => {
  const rolls = counts.reduce((all, count) => all + count, 0);
  const expected = rolls / counts.length;
  const chiSquare =
    rolls === 0 ? 0 : counts.reduce((all, count) => all + (count - expected) ** 2 / expected, 0);
  return {
    chiSquare,
    p: 1 - lowerGamma((counts.length - 1) / 2, chiSquare / 2),
    isMeaningful: expected >= LEAST_EXPECTED,
  };
};
