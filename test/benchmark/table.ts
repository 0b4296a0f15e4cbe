/** Figures as people read them. */
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

const COLUMNS: readonly (readonly [title: string, of: (figure: Figure) => string, right?: true])[] = [
  ['part', ({ part }) => part],
  ['figure', ({ figure }) => figure],
  ['ours', ({ ours }) => digits(ours), true],
  ['floor', ({ floor }) => digits(floor), true],
  ['unit', ({ unit }) => unit],
  ['ratio', ({ ratio }) => ratioText(ratio), true],
  ['quartiles', ({ spread: [low, high] }) => `${low.toFixed(2)}–${high.toFixed(2)}`, true],
  ['goal', ({ goal }) => goalText(goal), true],
  ['', ({ holds }) => (holds === null ? '' : holds ? 'held' : 'MISSED')],
];

const linesOf = (rows: readonly (readonly string[])[]): string => {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          COLUMNS[column]?.[2] === true
            ? cell.padStart(widths[column] ?? 0)
            : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

export const tableOf = (figures: readonly Figure[]): string =>
  linesOf([COLUMNS.map(([title]) => title), ...figures.map((figure) => COLUMNS.map(([, of]) => of(figure)))]);

/** What has changed from one run to another: ratios, since each was compared with a floor of its own time. */
export const comparisonOf = (before: readonly Figure[], after: readonly Figure[]): string => {
  const rows = after.flatMap((figure) => {
    const old = before.find((other) => other.part === figure.part && other.figure === figure.figure);
    if (old === undefined) return [];
    return [
      [
        figure.part,
        figure.figure,
        ratioText(old.ratio),
        ratioText(figure.ratio),
        ratioText(figure.ratio / old.ratio),
      ],
    ];
  });
  const all = [['part', 'figure', 'before', 'after', 'after / before'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
