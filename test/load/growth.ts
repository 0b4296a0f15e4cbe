/** The growth of a figure over time, with its standard error. */

export interface Sample {
  /** Seconds. */
  readonly at: number;
  readonly value: number;
}

export interface Growth {
  /** The slope of the best line per hour, and its standard error. */
  readonly perHour: number;
  readonly error: number;
  /** The first and the last sample. */
  readonly first: number;
  readonly last: number;
}

/** Least squares; undefined for fewer than three samples, which have no standard error. */
export const growthOf = (samples: readonly Sample[]): Growth | undefined => {
  const count = samples.length;
  const [first] = samples;
  const last = samples.at(-1);
  if (count < 3 || first === undefined || last === undefined) return undefined;
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / count;
  const [at, value] = [mean((sample) => sample.at), mean((sample) => sample.value)];
  const spread = samples.reduce((sum, sample) => sum + (sample.at - at) ** 2, 0);
  if (spread === 0) return undefined;
  const slope = samples.reduce((sum, sample) => sum + (sample.at - at) * (sample.value - value), 0) / spread;
  const residuals = samples.reduce(
    (sum, sample) => sum + (sample.value - value - slope * (sample.at - at)) ** 2,
    0,
  );
  const error = Math.sqrt(residuals / (count - 2) / spread);
  return { perHour: slope * 3600, error: error * 3600, first: first.value, last: last.value };
};

/** Whether a figure grows by more than `allowed` per hour, beyond two standard errors. */
export const isGrowing = ({ perHour, error }: Growth, allowed: number): boolean =>
  perHour - 2 * error > allowed;
