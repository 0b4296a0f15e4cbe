/** Whether rolls look like those of a fair die. */

export interface Fairness {
  /** Pearson's chi-square. */
  readonly chiSquare: number;
  /** The share of fair dice that would look at least as unfair. */
  readonly p: number;
  /** Each face must be expected five times at least, for `p` to mean anything. */
  readonly isMeaningful: boolean;
}

const LEAST_EXPECTED = 5;
const STEPS = 500;
const TINY = 1e-12;

/** ln Γ(x) by the approximation of Lanczos, g = 5 (Press et al., Numerical Recipes, 6.1). */
const lnGamma = (x: number): number => {
  const coefficients = [
    76.18009172947146, -86.5053203294168, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -0.000005395239384953,
  ];
  const sum = coefficients.reduce(
    (all, coefficient, index) => all + coefficient / (x + 1 + index),
    1.000000000190015,
  );
  const shifted = x + 5.5;
  return (x + 0.5) * Math.log(shifted) - shifted + Math.log((2.50662827463 * sum) / x);
};

/** The upper regularised incomplete gamma function Q(a, x), by its series or its continued fraction. */
const upperGamma = (a: number, x: number): number => {
  if (x <= 0) return 1;
  const scale = Math.exp(a * Math.log(x) - x - lnGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < STEPS && term > sum * TINY; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - sum * scale;
  }
  let b = x + 1 - a;
  let c = 1 / Number.MIN_VALUE;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < STEPS; n++) {
    const factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < TINY) break;
  }
  return fraction * scale;
};

/** Of a die that showed each of its faces so often. */
export const fairness = (counts: readonly number[]): Fairness => {
  const rolls = counts.reduce((all, count) => all + count, 0);
  const expected = rolls / counts.length;
  const chiSquare =
    rolls === 0 ? 0 : counts.reduce((all, count) => all + (count - expected) ** 2 / expected, 0);
  return {
    chiSquare,
    p: upperGamma((counts.length - 1) / 2, chiSquare / 2),
    isMeaningful: expected >= LEAST_EXPECTED,
  };
};
