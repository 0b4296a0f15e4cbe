/** Figures as tables for people. */
import { columns } from '../support/columns.js';
import type { Figure, Goal } from './part.js';

const digits = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return size >= 100 ? Math.round(value).toLocaleString('en-GB') : value.toPrecision(size >= 1 ? 3 : 2);
};

const goalText = (goal: Goal | undefined): string => {
  if (goal === undefined) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
};

const ratioText = (ratio: number): string => `${ratio.toFixed(2)} ×`;

const COLUMNS: readonly (readonly [title: string, of: (figure: Figure) => string])[] = [
  ['part', ({ part }) => part],
  ['figure', ({ figure }) => figure],
  ['ours', ({ ours }) => digits(ours)],
  ['floor', ({ floor }) => digits(floor)],
  ['unit', ({ unit }) => unit],
  ['ratio', ({ ratio }) => ratioText(ratio)],
  ['quartiles', ({ spread: [low, high] }) => `${low.toFixed(2)}–${high.toFixed(2)}`],
  ['goal', ({ goal }) => goalText(goal)],
  ['', ({ holds }) => (holds === null ? '' : holds ? 'held' : 'MISSED')],
];

export const tableOf = (figures: readonly Figure[]): string =>
  columns(
    COLUMNS.map(([title]) => title),
    figures.map((figure) => COLUMNS.map(([, of]) => of(figure))),
    ['ours', 'floor', 'ratio', 'quartiles', 'goal'],
  );

/** The changes from one run to another, as ratios, since each run has its own floor. */
export const comparisonOf = (before: readonly Figure[], after: readonly Figure[]): string => {
  const rows = after.flatMap((figure) => {
    const { part, figure: name, ratio } = figure;
    const old = before.find((other) => other.part === part && other.figure === name);
    if (old === undefined) return [];
    return [[part, name, ratioText(old.ratio), ratioText(ratio), ratioText(ratio / old.ratio)]];
  });
  return columns(['part', 'figure', 'before', 'after', 'after / before'], rows);
};
