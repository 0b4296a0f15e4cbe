const sortedOf = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

/** The quantile at `part`, 0 to 1, interpolated between two values. */
export const quantileOf = (values: readonly number[], part: number): number => {
  const sorted = sortedOf(values);
  const at = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return low + (high - low) * (at - Math.floor(at));
};

export const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5);

export const quartilesOf = (values: readonly number[]): readonly [low: number, high: number] => [
  quantileOf(values, 0.25),
  quantileOf(values, 0.75),
];

/** Rounds to a tenth, for reports. */
export const toTenth = (value: number): number => Math.round(value * 10) / 10;
