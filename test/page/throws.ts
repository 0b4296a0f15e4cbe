/** Throws of a formula, from rolls in text. */
import * as E from 'fp-ts/lib/Either.js';
import { readPool } from '../../src/page/dice/notation.js';
import { lastThrow, type Roll, type Throw } from '../../src/page/dice/pool.js';
import { texts } from '../../src/page/dice/texts.js';

/** `d6 4 5, d20 15`: a type and its faces, in the order in which they came up. */
const rollsIn = (text: string): readonly Roll[] =>
  text
    .split(', ')
    .flatMap((group) => {
      const [type = '', ...faces] = group.split(' ');
      return faces.map((face) => ({ type: type as Roll['type'], face: Number(face) }));
    })
    .map((roll, index) => ({ ...roll, address: '', time: String(index) }));

/** The last throw; throws the refusal of a formula. */
export const thrown = (formula: string, rolls: string): Throw => {
  const pool = readPool(formula);
  if (E.isLeft(pool)) throw new Error(texts.refused(pool.left));
  return lastThrow(pool.right, rollsIn(rolls));
};

/** The total, or the dice that are still to roll. */
export const outcomeOf = ({ total, missing }: Throw): string =>
  total === null ? missing.map(({ type, count }) => `${count} ${type}`).join(', ') : String(total);
