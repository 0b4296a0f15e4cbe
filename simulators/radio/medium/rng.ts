/** Reproducible random numbers: one in [0, 1) at each call. */
export type Rng = () => number;

/** Spreads a seed over all 32 bits (the finalizer of MurmurHash3): similar seeds would make xorshift begin with similar numbers. */
const spread = (seed: number): number => {
  let mixed = seed ^ 0x9e3779b9;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** Marsaglia's xorshift with 32 bits of state; the same seed gives the same numbers. `seed` is any integer. */
export const seededRng = (seed: number): Rng => {
  let state = spread(seed) || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
};
