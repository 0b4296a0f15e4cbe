/** Sums of dice in the notation of players, such as `2d6+3`, and their totals from rolls. */
import * as E from 'fp-ts/lib/Either.js';
import type { AnyDiceType } from '../../dice/contract.js';

/** A face that came up. */
export interface Roll {
  readonly address: string;
  /** The type of the die; null: not known. */
  readonly type: AnyDiceType | null;
  readonly face: number;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** A term: a number of equal dice, of which `keep` counts only the highest or lowest. */
interface Dice {
  readonly types: readonly AnyDiceType[];
  readonly count: number;
  readonly keep: { readonly highest: boolean; readonly count: number } | null;
  readonly sign: 1 | -1;
}

export interface Pool {
  readonly terms: readonly Dice[];
  readonly constant: number;
}

/** One throw of a pool; its `missing` dice have not been rolled yet. */
export interface Throw {
  readonly rolls: readonly Roll[];
  readonly missing: readonly { readonly type: AnyDiceType; readonly count: number }[];
  /** Null while dice are missing. */
  readonly total: number | null;
}

const MOST_DICE = 20;

const TERM = /^(\d*)d(4|6|8|10|12|20|%|f)(?:k([hl])(\d*))?$/;

const WORDS: Readonly<Record<string, string>> = {
  advantage: '2d20kh1',
  disadvantage: '2d20kl1',
};

export const EXAMPLES: readonly string[] = ['d6', '2d6+3', '4d6kh3', ...Object.keys(WORDS), 'd%', '4dF'];

const SHELLS: Readonly<Record<string, readonly AnyDiceType[]>> = {
  '4': ['d4'],
  '6': ['d6'],
  '8': ['d8'],
  '10': ['d10'],
  '12': ['d12'],
  '20': ['d20'],
  '%': ['d10x', 'd10'],
  f: ['fudge'],
};

const readDice = (text: string, sign: 1 | -1): Dice | null => {
  const [, count = '', sides = '', which, kept = ''] = TERM.exec(text) ?? [];
  const types = SHELLS[sides];
  if (types === undefined) return null;
  const dice = count === '' ? 1 : Number(count);
  const keep = which === undefined ? null : { highest: which === 'h', count: kept === '' ? 1 : Number(kept) };
  if (dice < 1 || dice > MOST_DICE || (keep !== null && (keep.count < 1 || keep.count > dice))) return null;
  return { types, count: dice, keep, sign };
};

/** Left: the part that is not a term. */
export const readPool = (text: string): E.Either<string, Pool> => {
  const plain = text
    .toLowerCase()
    .replace(/\s+/g, '')
    .replace(/[a-z]+/g, (word) => WORDS[word] ?? word);
  const parts = plain.match(/[+-]?[^+-]*/g)?.filter((part) => part !== '') ?? [];
  const terms: Dice[] = [];
  let constant = 0;
  for (const part of parts) {
    const sign = part.startsWith('-') ? -1 : 1;
    const unsigned = part.replace(/^[+-]/, '');
    if (/^\d{1,4}$/.test(unsigned)) constant += sign * Number(unsigned);
    else {
      const dice = readDice(unsigned, sign);
      if (dice === null) return E.left(part);
      terms.push(dice);
    }
  }
  return terms.length === 0 ? E.left(text) : E.right({ terms, constant });
};

/** The type of each die of a term: for 2d% first both tens, then both units. */
const typesOf = ({ types, count }: Dice): readonly AnyDiceType[] =>
  types.flatMap((type) => Array.from({ length: count }, () => type));

/** The value of a face alone: 0 on a d10 is ten. */
export const valueOf = (type: AnyDiceType | null, face: number): number =>
  type === 'd10' && face === 0 ? 10 : face;

/** The value of each die of a term: 00 with 0 is a hundred. */
const valuesOf = ({ types, count }: Dice, rolls: readonly Roll[]): readonly number[] =>
  Array.from({ length: count }, (_, index) => {
    const first = rolls[index]?.face ?? 0;
    if (types.length === 1) return valueOf(types[0] ?? null, first);
    const both = first + (rolls[index + count]?.face ?? 0);
    return both === 0 ? 100 : both;
  });

const sumOf = (term: Dice, rolls: readonly Roll[]): number => {
  const values = [...valuesOf(term, rolls)].sort((a, b) => (term.keep?.highest === true ? b - a : a - b));
  const kept = values.slice(0, term.keep?.count ?? values.length);
  return term.sign * kept.reduce((all, value) => all + value, 0);
};

const evaluate = ({ terms, constant }: Pool, rolls: readonly Roll[]): Throw => {
  const unused = [...rolls];
  const missing = new Map<AnyDiceType, number>();
  let total = constant;
  for (const term of terms) {
    const thrown: Roll[] = [];
    for (const type of typesOf(term)) {
      const index = unused.findIndex((roll) => roll.type === type);
      if (index < 0) missing.set(type, (missing.get(type) ?? 0) + 1);
      else thrown.push(...unused.splice(index, 1));
    }
    total += sumOf(term, thrown);
  }
  return {
    rolls,
    missing: [...missing].map(([type, count]) => ({ type, count })),
    total: missing.size === 0 ? total : null,
  };
};

/** The last throw in `rolls`; the roll after a complete throw begins another throw. */
export const lastThrow = (pool: Pool, rolls: readonly Roll[]): Throw => {
  let current = evaluate(pool, []);
  for (const roll of rolls) {
    const started = current.total === null ? current : evaluate(pool, []);
    if (started.missing.some(({ type }) => type === roll.type)) {
      current = evaluate(pool, [...started.rolls, roll]);
    }
  }
  return current;
};
