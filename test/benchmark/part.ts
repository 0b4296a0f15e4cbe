/** Measurements, each against a floor or a peer in the same run. */
import type { Child } from './child.js';
import { medianOf, quartilesOf } from '../support/statistics.js';

/** The goal of the ratio of ours to the floor. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** A number of one measurement. */
interface Measure {
  readonly unit: string;
  readonly goal: Goal | undefined;
}

/** Values by the names of their figures. */
type Values<F extends string> = Readonly<Record<F, number>>;

export interface Match<F extends string = string> {
  readonly figures: Readonly<Record<F, Measure>>;
  /** One measurement of each side. The sides alternate. */
  readonly ours: () => Promise<Values<F>>;
  readonly floor: () => Promise<Values<F>>;
}

export interface Figure extends Measure {
  readonly part: string;
  readonly figure: string;
  /** Medians of all rounds. */
  readonly ours: number;
  readonly floor: number;
  /** The median of the ratios of all rounds, and their quartiles. */
  readonly ratio: number;
  readonly spread: readonly [low: number, high: number];
  /** Null without a goal. */
  readonly holds: boolean | null;
}

export interface Scale {
  /** How often each side is measured. */
  readonly rounds: number;
  /** 1, or less for a run that only shows that every part works. */
  readonly size: number;
}

export interface Part {
  readonly name: string;
  /** The two sides of the comparison. */
  readonly summary: string;
  /** Each match is played to its end before the next begins. */
  readonly matches: (scale: Scale) => AsyncGenerator<Match> | Generator<Match>;
}

export const isHeld = (goal: Goal, ratio: number): boolean =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;

/** `count` for the size of the run: a whole number, at least 1. */
export const scaled = ({ size }: Scale, count: number): number => Math.max(1, Math.round(count * size));

const play = async (
  part: string,
  { figures, ours, floor }: Match,
  rounds: number,
): Promise<readonly Figure[]> => {
  const pairs: { readonly ours: Values<string>; readonly floor: Values<string> }[] = [];
  for (let round = 0; round < rounds; round++) {
    // The sides take turns, since the first one warms the machine up or slows it down.
    if (round % 2 === 0) pairs.push({ ours: await ours(), floor: await floor() });
    else {
      const first = await floor();
      pairs.push({ ours: await ours(), floor: first });
    }
  }
  return Object.entries(figures).map(([figure, { unit, goal }]) => {
    const of = (side: 'ours' | 'floor') => pairs.map((pair) => pair[side][figure] ?? NaN);
    const ratios = of('ours').map((value, round) => value / (of('floor')[round] ?? NaN));
    const ratio = medianOf(ratios);
    return {
      ...{ part, figure, unit, goal, ratio, spread: quartilesOf(ratios) },
      ours: medianOf(of('ours')),
      floor: medianOf(of('floor')),
      holds: goal === undefined ? null : isHeld(goal, ratio),
    };
  });
};

/** Plays all matches of a part. */
export const measure = async ({ name, matches }: Part, scale: Scale): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  for await (const match of matches(scale)) {
    figures.push(...(await play(name, match, scale.rounds)));
  }
  return figures;
};

/** One side of a comparison of rates. `work`: the counted work of `child`. */
interface Side {
  readonly child: Child<unknown>;
  readonly work: () => Promise<unknown>;
}

interface Rate extends Measure {
  readonly figure: string;
  readonly count: number;
}

/** The work of a program per second, and per second of its processor, for clients that are slower than the program. */
export const rateMatch = ({ figure, unit, goal, count }: Rate, ours: Side, floor: Side): Match => {
  const perProcessor = `${figure}, for each second of the processor`;
  const measure = async ({ child, work }: Side): Promise<Record<string, number>> => {
    const { cpu } = await child.ask<{ cpu: number }>({});
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1000;
    const after = await child.ask<{ cpu: number }>({});
    return { [figure]: count / seconds, [perProcessor]: count / (after.cpu - cpu) };
  };
  return {
    figures: { [figure]: { unit, goal }, [perProcessor]: { unit, goal } },
    ours: () => measure(ours),
    floor: () => measure(floor),
  };
};
