/** Formulas from the public documents of programs for players, each with a total of given faces. */
import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { facesOf } from '../../src/protocols/dice-values.js';
import { EXAMPLES, readPool, type Refusal } from '../../src/page/dice/notation.js';
import { lastThrow, type Roll } from '../../src/page/dice/pool.js';
import { texts } from '../../src/page/dice/texts.js';
import { rows } from '../support/rows.js';
import { outcomeOf, thrown } from './throws.js';

const TWENTY = 'd20 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20';
const EIGHT_D100 = 'd10x 10 20 30 40 50 60 70 80, d10 1 2 3 4 5 6 7 8';

/** Computed by hand, except the totals of `4d6kh3` and `3d6…`, which the document of Avrae has. */
const DOCUMENTED: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  // https://foundryvtt.com/pages/dice.html, https://github.com/foundry-vtt-community/wiki/blob/main/Chat.md,
  // https://github.com/foundryvtt/foundryvtt/issues/5767, and Die#keep and Die#drop of the API in
  // https://github.com/League-of-Foundry-Developers/foundry-vtt-types
  'Foundry VTT': rows(
    3,
    `
    /roll 5d6                                       | d6 1 2 3 4 6 | 16
    /roll 1d20+4+2 # Viciously attack that goblin   | d20 11       | 17
    [[1d20]]                                        | d20 9        | 9
    [[2d20kh]]                                      | d20 4 15     | 15
    [[/roll 1d20 + 3 ]]                             | d20 9        | 12
    20d20k                                          | ${TWENTY}    | 20
    20d20kh                                         | ${TWENTY}    | 20
    20d20kh10                                       | ${TWENTY}    | 155
    20d20kl                                         | ${TWENTY}    | 1
    20d20kl10                                       | ${TWENTY}    | 55
    20d20d                                          | ${TWENTY}    | 209
    20d20dh                                         | ${TWENTY}    | 190
    20d20dl                                         | ${TWENTY}    | 209
    20d20dh10                                       | ${TWENTY}    | 55
    20d20dl10                                       | ${TWENTY}    | 155
    /r 3d20ddh                                      | d20 17 4 11  | 11
    /r 3d20d1dh                                     | d20 17 4 11  | 11
    /r 3d20dldh                                     | d20 17 4 11  | 11
    /r 3d20dh1dl                                    | d20 17 4 11  | 11
    /gmr 1d20                                       | d20 2        | 2
    `,
  ),
  // https://wiki.roll20.net/Dice_Reference
  Roll20: rows(
    3,
    `
    /roll d20+5                                     | d20 12                 | 17
    /roll 3d6+2                                     | d6 2 3 6               | 13
    /roll 2d6+5 + d8                                | d6 1 4, d8 7           | 17
    /roll 1d20+5 \\ +5 Roll for Initiative          | d20 12                 | 17
    /roll 2d20+5[Fire Damage] + 3d6+5[Ice Damage]   | d20 3 18, d6 1 2 6     | 40
    /roll 2d10+2d6[crit]+5                          | d10 4 0, d6 2 5        | 26
    /roll 8d100k4                                   | ${EIGHT_D100}          | 286
    /roll 8d100kl3                                  | ${EIGHT_D100}          | 66
    /roll 8d100d3                                   | ${EIGHT_D100}          | 330
    /roll 8d100dh3                                  | ${EIGHT_D100}          | 165
    8d100kl4                                        | ${EIGHT_D100}          | 110
    8d100d4                                         | ${EIGHT_D100}          | 286
    8d100dh4                                        | ${EIGHT_D100}          | 110
    /roll 4dF+1                                     | fudge -1 1 1 0         | 2
    `,
  ),
  // https://github.com/avrae/d20, and the help of `!roll` in https://github.com/avrae/avrae/blob/master/cogs5e/dice/cog.py
  Avrae: rows(
    3,
    `
    1d20+5                                          | d20 10                 | 15
    4d6kh3                                          | d6 4 4 6 3             | 14
    3d6 [fire] + 1d4 [piercing]                     | d6 3 2 2, d4 3         | 10
    3d6 + 1d4 + 3                                   | d6 4 6 6, d4 1         | 20
    !r 1d8+2+1d6                                    | d8 5, d6 3             | 10
    !r 1d20+1 adv                                   | d20 8 14               | 15
    !r 1d20-3 dis                                   | d20 8 14               | 5
    !r 2d20kh1+4                                    | d20 8 14               | 18
    !r 2d20kl1-2                                    | d20 8 14               | 6
    !r 1d10[cold]+2d6[piercing]                     | d10 9, d6 1 6          | 16
    4d6pl1                                          | d6 1 2 4 6             | 12
    4d6ph1                                          | d6 1 2 4 6             | 7
    `,
  ),
  'a person at the page': rows(
    3,
    `
    2D20KH1                                         | d20 3 8                | 8
    2d6 − 1                                         | d6 1 6                 | 6
    2d6–1                                           | d6 1 6                 | 6
    1d20+-1                                         | d20 7                  | 6
    ２ｄ６＋３                                      | d6 4 5                 | 12
    d20adv                                          | d20 3 8                | 8
    adv + 5                                         | d20 3 8                | 13
    d4 + d20 advantage                              | d4 2, d20 3 8          | 10
    10 - d20 disadvantage                           | d20 3 8                | 7
    4d6 kh3                                         | d6 1 2 4 6             | 12
    d100                                            | d10x 0, d10 0          | 100
    2d6+9999                                        | d6 1 1                 | 10001
    `,
  ),
};

/** Formulas from the same documents, and mistakes; the reason, and the part. */
const REFUSED = rows(
  3,
  `
  /roll 3d6!                          | exploding      | !
  /roll 3d6!>4                        | exploding      | !>4
  /roll 5d6!!                         | exploding      | !!
  /roll 5d6!p                         | exploding      | !p
  /r 5d10x10                          | exploding      | x10
  !r 2d6e6                            | exploding      | e6
  /roll 2d8r<2                        | rerolls        | r<2
  8d6r2r4r6                           | rerolls        | r2
  /r 1d20rr<3                         | rerolls        | rr<3
  !r 4d6ro<3                          | rerolls        | ro<3
  !r 10d6ra6                          | rerolls        | ra6
  /roll 3d6>3                         | comparison     | >3
  10d6<4f>5                           | comparison     | <4
  4d6kh3>4                            | comparison     | >4
  /roll 1d20cs>10                     | comparison     | cs>10
  6d6even                             | comparison     | even
  6d6df                               | comparison     | f
  !r 4d6mi2[fire]                     | limit          | mi2
  6d6max5                             | limit          | max5
  8d6sd                               | sorting        | sd
  10d6p1                              | dropOfValue    | p1
  10d6k1ph1                           | keepAndMore    | k1ph1
  4d6dlk2                             | keepAndMore    | dlk2
  /r 3d20k2kl                         | keepAndMore    | k2kl
  !rr 3 1d20                          | command        | !rr
  /r 1d6 + @abilities.str.mod         | lookup         | @
  /roll ?{Number of Dice|1}d20        | lookup         | ?
  /roll 1d20 + 5 &{tracker}           | lookup         | &
  /roll {4d6+3d8}kh1                  | group          | {
  !r (1d6,1d8,1d10)kh2                | group          | ,
  !r (1d8+4)*2                        | parenthesis    | (
  2d6×2                               | arithmetic     | ×
  /roll [[2d6]]d5                     | inlineRoll     | [
  1d20+5 Roll for Initiative          | Unknown        | 5 roll for initiative
  !r 1d10[cold]+2d6[piercing] Ice Knife | Unknown      | 2d6 ice knife
  4d6 drop lowest                     | Unknown        | 4d6 drop lowest
  1d20 1d4                            | Unknown        | 1d20 1d4
  10d6 d4                             | Unknown        | 10d6 d4
  2 3d6                               | Unknown        | 2 3d6
  2d6+                                | Unknown        | +
  2d6 % 3                             | Unknown        | 2d6 % 3
  two d6                              | Unknown        | two d6
  F                                   | Unknown        | f
  d7                                  | NoSuchDie      | d7
  2d10 0                              | Unknown        | 2d10 0
  2d20 adv                            | NoSingleD20    | adv
  0d6                                 | dice 1 to 20   | 0d6
  21d6+1                              | dice 1 to 20   | 21d6
  2d6kh3                              | keep 1 to 2    | kh3
  2d6kh0                              | keep 1 to 2    | kh0
  4d6dl4                              | drop 0 to 3    | dl4
  4d6dl2dh2                           | drop 0 to 1    | dh2
  d6d6                                | drop 0 to 0    | d6
  2d6+10000                           | number 0 to 9999 | 10000
  `,
);

const reasonOf = (refusal: Refusal): readonly string[] => {
  switch (refusal._tag) {
    case 'NoDice':
      return [refusal._tag];
    case 'Unsupported':
      return [refusal.feature, refusal.part];
    case 'OutOfRange':
      return [`${refusal.quantity} ${refusal.least} to ${refusal.most}`, refusal.part];
    case 'Unknown':
    case 'NoSuchDie':
    case 'NoSingleD20':
      return [refusal._tag, refusal.part];
  }
};

const refusalOf = (text: string): Refusal => {
  const pool = readPool(text);
  if (E.isRight(pool)) throw new Error(`${text} is a sum`);
  return pool.left;
};

/** Texts of the letters and signs of formulas. */
const formulas = fc
  .array(
    fc.oneof(
      fc.constantFrom('d6', '2d20', 'd%', '4dF', 'kh', 'kl1', 'dl', 'dh2', 'k', 'd', '+', '-', '−', ' '),
      fc.constantFrom('adv', 'dis', '[fire]', '[[', ']]', '/r ', '#', '!', 'r<2', '(', '10000', '7', 'x'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

describe('The notation of dice', () => {
  for (const [source, cases] of Object.entries(DOCUMENTED))
    for (const [formula, rolls, outcome] of cases)
      it(`of ${source} turns ${formula} and the rolls ${rolls} into ${outcome}`, () => {
        expect(outcomeOf(thrown(formula, rolls))).to.equal(outcome);
      });

  for (const [formula, reason, part] of REFUSED)
    it(`refuses ${formula} because of ${part} (${reason})`, () => {
      expect(reasonOf(refusalOf(formula))).to.deep.equal([reason, part]);
    });

  for (const text of ['', ' ', '3', '5+3', '# 2d6', '[fire]'])
    it(`finds no dice in "${text}"`, () => {
      expect(refusalOf(text)).to.deep.equal({ _tag: 'NoDice' });
    });

  it('has its own examples', () => {
    expect(EXAMPLES.map(readPool).filter(E.isLeft)).to.deep.equal([]);
  });

  it('names the refused part and an alternative', () => {
    expect(
      ['3d6!', '21d6', 'd6d6', 'd7', '2d20 adv', '2d6 fire'].map(refusalOf).map(texts.refused),
    ).to.deep.equal([
      '“!” (exploding dice) is not supported: a sum has a fixed number of dice.',
      '“21d6”: the number of dice must be 1 to 20.',
      '“d6”: the number of dice to drop must be 0.',
      'There is no d7: dice are d4, d6, d8, d10, d12, d20, d100 (or d%), and dF.',
      '“adv” needs one d20, such as d20+5 adv.',
      '“2d6 fire” is not understood. Write dice and numbers with + or − between them, such as 2d6+3, and notes after #.',
    ]);
  });

  it('gives each text a reason, or a total once all its dice are rolled', () => {
    fc.assert(
      fc.property(fc.oneof(formulas, fc.string({ unit: 'binary' })), (text) => {
        const pool = readPool(text);
        if (E.isLeft(pool)) return texts.refused(pool.left).endsWith('.');
        const rolls = lastThrow(pool.right, []).missing.flatMap(({ type, count }) =>
          Array.from({ length: count }, (): Roll => ({
            type,
            face: facesOf(type)[0] ?? 0,
            address: '',
            time: '',
          })),
        );
        return rolls.length > 0 && Number.isInteger(lastThrow(pool.right, rolls).total);
      }),
    );
  });
});
