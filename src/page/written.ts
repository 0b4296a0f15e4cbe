import type { AnyDiceType } from '../dice/port/values.js';

const FUDGE: Readonly<Record<number, string>> = { [-1]: '−', 0: '0', 1: '+' };

/** As it is written on the die: the tens of a percentile die have two digits, a fudge die has signs and blanks. */
export const written = (type: AnyDiceType | null, face: number): string => {
  if (type === 'fudge') return FUDGE[face] ?? String(face);
  return type === 'd10x' ? String(face).padStart(2, '0') : String(face);
};
