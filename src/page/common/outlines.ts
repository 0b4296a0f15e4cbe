/** Shapes of dice, and the texts on their faces. */
import type { AnyDiceType } from '../../protocols/dice-values.js';

const FUDGE: Readonly<Record<number, string>> = { [-1]: '−', 0: '0', 1: '+' };

/** The text on a face: two digits on the tens of a percentile die, signs and blanks on a fudge die. */
export const written = (type: AnyDiceType | null, face: number): string => {
  if (type === 'fudge') return FUDGE[face] ?? String(face);
  return type === 'd10x' ? String(face).padStart(2, '0') : String(face);
};

/** Paths in a square of 100: the outline, and the edges of the visible face, whose middle is at `y`. */
interface Outline {
  readonly outline: string;
  readonly edges: string;
  readonly y: number;
}

const CUBE: Outline = {
  outline: 'M18 12H82Q88 12 88 18V82Q88 88 82 88H18Q12 88 12 82V18Q12 12 18 12Z',
  edges: '',
  y: 52,
};

const KITE: Outline = {
  outline: 'M50 4 94 44 88 62 50 96 12 62 6 44Z',
  edges: 'M50 4 26 56 50 72 74 56ZM26 56 6 44M74 56 94 44M50 72V96',
  y: 50,
};

export const OUTLINES: Readonly<Record<AnyDiceType, Outline>> = {
  d4: { outline: 'M50 8 94 86H6Z', edges: 'M50 8 50 60 6 86M50 60 94 86', y: 62 },
  d6: CUBE,
  fudge: CUBE,
  d8: { outline: 'M50 4 90 50 50 96 10 50Z', edges: 'M10 50 50 66 90 50M50 66V96', y: 44 },
  d10: KITE,
  d10x: KITE,
  d12: {
    outline: 'M50 4 80 14 96 40 96 60 80 86 50 96 20 86 4 60 4 40 20 14Z',
    edges: 'M50 22 77 42 67 74H33L23 42ZM50 22V4M77 42 96 40M67 74 80 86M33 74 20 86M23 42 4 40',
    y: 52,
  },
  d20: {
    outline: 'M50 4 91 27V73L50 96 9 73V27Z',
    edges:
      'M50 26 74 66H26ZM50 26V4M50 26 9 27M50 26 91 27M74 66 91 27M74 66 91 73M74 66 50 96M26 66 9 27M26 66 9 73M26 66 50 96',
    y: 55,
  },
};
