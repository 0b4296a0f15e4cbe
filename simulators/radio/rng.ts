/** Chance that can be replayed: a number in [0, 1) at each call. */
export type Rng = () => number;

/** Marsaglia's xorshift with 32 bits of state; the same seed gives the same numbers. `seed` is any integer. */
export const seededRng = (seed: number): Rng => {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
};
