/**
 * Sums of dice as players write them in Foundry VTT, Roll20 and Avrae. Sources: https://foundryvtt.com/article/dice-modifiers,
 * https://wiki.roll20.net/Dice_Reference, https://github.com/avrae/d20, and the help of Avrae's `!roll`. `4d6k3` keeps the highest
 * three, as in the first two; Avrae keeps the threes.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { AnyDiceType } from '../../dice/contract.js';
import type { Dice, Pool } from './pool.js';

const MOST_DICE = 20;
const GREATEST_NUMBER = 9999;

export const EXAMPLES = ['d6', '2d6+3', '4d6kh3', '4d6dl1', 'd20+5 adv', 'd20+5 dis', 'd100', '4dF'] as const;

const SHELLS: Readonly<Record<string, readonly AnyDiceType[]>> = {
  '4': ['d4'],
  '6': ['d6'],
  '8': ['d8'],
  '10': ['d10'],
  '12': ['d12'],
  '20': ['d20'],
  '100': ['d10x', 'd10'],
  '%': ['d10x', 'd10'],
  f: ['fudge'],
};

/** Notation of the three programs that a sum does not support. */
export type Unsupported =
  | ('exploding' | 'rerolls' | 'comparison' | 'limit' | 'sorting' | 'dropOfValue' | 'keepAndMore')
  | ('command' | 'lookup' | 'group' | 'parenthesis' | 'arithmetic' | 'inlineRoll');

/** Unsupported modifiers by their names; a comparison such as `>3` has an empty name. */
const MODIFIERS: readonly (readonly [Unsupported, readonly string[]])[] = [
  ['exploding', ['!', '!!', '!p', 'x', 'xo', 'e']],
  ['rerolls', ['r', 'rr', 'ro', 'ra']],
  ['comparison', ['', 'cs', 'cf', 'f', 'sf', 'ms', 'even', 'odd']],
  ['limit', ['min', 'max', 'mi', 'ma']],
  ['sorting', ['s', 'sa', 'sd']],
  ['dropOfValue', ['p']],
];

const SIGNS: readonly (readonly [Unsupported, RegExp])[] = [
  ['command', /^[/!]\S*/],
  ['lookup', /[@?&]/],
  ['group', /[{},]/],
  ['parenthesis', /[()]/],
  ['arithmetic', /[*×÷/^]/],
  ['inlineRoll', /[[\]]/],
];

export type Quantity = 'dice' | 'keep' | 'drop' | 'number';

/** The reason against a text. `part` is the part of it that is wrong, in lower case. */
export type Refusal =
  | { readonly _tag: 'NoDice' }
  | { readonly _tag: 'Unknown' | 'NoSuchDie' | 'NoSingleD20'; readonly part: string }
  | { readonly _tag: 'Unsupported'; readonly part: string; readonly feature: Unsupported }
  | {
      readonly _tag: 'OutOfRange';
      readonly part: string;
      readonly quantity: Quantity;
      readonly least: number;
      readonly most: number;
    };

type Reading<A> = E.Either<Refusal, A>;

const refused = (_tag: 'Unknown' | 'NoSuchDie' | 'NoSingleD20', part: string): Reading<never> =>
  E.left({ _tag, part });

const unsupported = (feature: Unsupported, part: string): Reading<never> =>
  E.left({ _tag: 'Unsupported', feature, part });

const outOfRange = (quantity: Quantity, part: string, least: number, most: number): Reading<never> =>
  E.left({ _tag: 'OutOfRange', quantity, part, least, most });

const COMMAND = /^[/!](?:gm|blind|b|self|s|public|p)?r(?:oll)?\s+/;
const LABELS = /\[[^[\]]*\]/g;
const COMMENT = /[#\\].*/s;

/** In lower case, with `-` for each dash; without command, brackets of an inline roll, labels and comment. */
const formulaIn = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Dash_Punctuation}−]/gu, '-')
    .trim()
    .replace(/^\[\[\s*(.*)\]\]$/s, '$1')
    .replace(COMMAND, '')
    .replace(LABELS, '')
    .replace(COMMENT, '')
    .trim();

const refuseModifier = (modifiers: string, term: string): Reading<never> => {
  const [part = '', name = ''] = /^([a-z!]*)[<>=]*\d*/.exec(modifiers) ?? [];
  const [feature] = MODIFIERS.find(([, names]) => names.includes(name)) ?? [];
  return part === '' || feature === undefined ? refused('Unknown', term) : unsupported(feature, part);
};

const MODIFIER = /^(k[hl]?|[dp][hl]|d)(\d*)/;

/** Reads `kh3` or `dldh`. Foundry VTT and Avrae agree on several drops, but not on a keep beside another modifier. */
const readKept = (modifiers: string, term: string, count: number): Reading<Dice['kept']> => {
  let [from, to] = [0, count];
  for (let rest = modifiers; rest !== '';) {
    const [part, name, digits] = MODIFIER.exec(rest) ?? [];
    if (part === undefined || name === undefined) return refuseModifier(rest, term);
    const keeps = name.startsWith('k');
    if (rest !== modifiers && (keeps || modifiers.startsWith('k')))
      return unsupported('keepAndMore', modifiers);
    const given = digits === '' ? 1 : Number(digits);
    const left = keeps ? given : to - from - given;
    if (keeps && (left < 1 || left > count)) return outOfRange('keep', part, 1, count);
    if (left < 1) return outOfRange('drop', part, 0, to - from - 1);
    if (keeps ? name === 'kl' : name.endsWith('h')) to = from + left;
    else from = to - left;
    rest = rest.slice(part.length);
  }
  return E.right({ from, to });
};

const DICE = /^(\d*)d(\d+|%|f)(.*)$/;

const readDice = (term: string): Reading<Omit<Dice, 'sign'>> => {
  const [, digits, sides, modifiers] = DICE.exec(term.replace(/\s+/g, '')) ?? [];
  if (sides === undefined || modifiers === undefined) return refused('Unknown', term);
  const types = SHELLS[sides];
  if (types === undefined) return refused('NoSuchDie', `d${sides}`);
  const count = digits === '' ? 1 : Number(digits);
  if (count < 1 || count > MOST_DICE) return outOfRange('dice', term, 1, MOST_DICE);
  return E.map((kept: Dice['kept']) => ({ types, count, kept }))(readKept(modifiers, term, count));
};

const LUCK = /disadvantage|advantage|dis|adv/;
/** A word that is a term of its own, as in `adv+5`. */
const LUCK_ALONE = /(?<sign>^|[-+])\s*(?=(?:disadvantage|advantage|dis|adv)\s*(?:[-+]|$))/g;
const SINGLE_D20 = /(?<sign>^|[-+])\s*1?d20(?=\s*(?:[-+]|$))/;

/** Writes two d20 for the first single one and a word anywhere: `2d20kh+5` for `d20+5 adv`. */
const withoutLuck = (formula: string): Reading<string> => {
  let result = formula.replace(LUCK_ALONE, '$<sign>d20');
  for (let luck = LUCK.exec(result)?.[0]; luck !== undefined; luck = LUCK.exec(result)?.[0]) {
    result = result.replace(luck, '');
    if (!SINGLE_D20.test(result)) return refused('NoSingleD20', luck);
    result = result.replace(SINGLE_D20, `$<sign>2d20k${luck.startsWith('adv') ? 'h' : 'l'}`);
  }
  return E.right(result);
};

/** Numbers or dice without a sign between them, which without the space would be another number, or a drop. */
const GAP = /\d\s+\d|d(?:\d+|%|f)\s+d\d/;

const readTerms = (formula: string): Reading<Pool> => {
  const terms: Dice[] = [];
  let constant = 0;
  // Signs may follow each other, as in `1d20+-1`, which macros write.
  for (const [, signs = '', rest = ''] of formula.matchAll(/([-+\s]*)([^-+]+|$)/g)) {
    const term = rest.trim() || signs.trim();
    if (term === '') continue;
    const sign = signs.split('-').length % 2 === 1 ? 1 : -1;
    if (GAP.test(term)) return refused('Unknown', term);
    if (/^\d+$/.test(term)) {
      if (Number(term) > GREATEST_NUMBER) return outOfRange('number', term, 0, GREATEST_NUMBER);
      constant += sign * Number(term);
    } else {
      const dice = readDice(term);
      if (E.isLeft(dice)) return dice;
      terms.push({ ...dice.right, sign });
    }
  }
  return terms.length === 0 ? E.left({ _tag: 'NoDice' }) : E.right({ terms, constant });
};

/** Reads a sum in the notations of the three programs. Numbers are 0 to 9999, and a term has 1 to 20 dice. */
export const readPool = (text: string): Reading<Pool> => {
  const formula = formulaIn(text);
  for (const [feature, pattern] of SIGNS) {
    const part = pattern.exec(formula)?.[0];
    if (part !== undefined) return unsupported(feature, part);
  }
  return E.chain(readTerms)(withoutLuck(formula));
};
