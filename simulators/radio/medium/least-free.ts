/** The least number from 0 on that is not taken, as Linux numbers adapters. */
export const leastFree = (taken: ReadonlyMap<number, unknown>): number => {
  let number = 0;
  while (taken.has(number)) number += 1;
  return number;
};
