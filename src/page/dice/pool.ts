/** Sums of dice, such as `2d6+3`, and their totals from rolls. */
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

/** A term: a number of equal dice. */
export interface Dice {
  readonly types: readonly AnyDiceType[];
  readonly count: number;
  /** The dice that count, in rising order of their values: from the index `from` to before `to`. */
  readonly kept: { readonly from: number; readonly to: number };
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
  /** The rolls that do not count; empty while dice are missing. */
  readonly dropped: readonly Roll[];
}

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

/** The sum of a term, and its rolls that do not count. */
const sumOf = (
  term: Dice,
  rolls: readonly Roll[],
): { readonly sum: number; readonly dropped: readonly Roll[] } => {
  const { from, to } = term.kept;
  const dice = valuesOf(term, rolls)
    .map((value, index) => ({ value, index }))
    .sort((a, b) => a.value - b.value);
  const dropped = [...dice.slice(0, from), ...dice.slice(to)].map(({ index }) => index);
  return {
    sum: term.sign * dice.slice(from, to).reduce((all, { value }) => all + value, 0),
    dropped: rolls.filter((_, index) => dropped.includes(index % term.count)),
  };
};

const evaluate = ({ terms, constant }: Pool, rolls: readonly Roll[]): Throw => {
  const unused = [...rolls];
  const missing = new Map<AnyDiceType, number>();
  let total = constant;
  const dropped: Roll[] = [];
  for (const term of terms) {
    const thrown: Roll[] = [];
    for (const type of typesOf(term)) {
      const index = unused.findIndex((roll) => roll.type === type);
      if (index < 0) missing.set(type, (missing.get(type) ?? 0) + 1);
      else thrown.push(...unused.splice(index, 1));
    }
    const summed = sumOf(term, thrown);
    total += summed.sum;
    dropped.push(...summed.dropped);
  }
  return {
    rolls,
    missing: [...missing].map(([type, count]) => ({ type, count })),
    total: missing.size === 0 ? total : null,
    dropped: missing.size === 0 ? dropped : [],
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
