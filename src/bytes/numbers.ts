/** The nearest whole number from `low` to `high`. */
export const within = (low: number, high: number, value: number): number =>
  Math.min(high, Math.max(low, Math.round(value)));

/** The nearest unsigned byte. */
export const toUint8 = (value: number): number => within(0, 0xff, value);
