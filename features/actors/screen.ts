/** The screen of an operator, as lines of text with ANSI sequences. */
import type { Course, Result } from './course.js';

/** A text that the operator types. */
export interface Typing {
  readonly purpose: 'note' | 'skip';
  readonly text: string;
}

/** The action that the operator is asked for. */
export interface Asked {
  /** The number of the action in its scenario, from 1. */
  readonly number: number;
  readonly task: string;
  /** Name, colour and address of the device. */
  readonly device: string;
  readonly secondsLeft: number;
  /** The awaited events, and the events so far. */
  readonly watched: string;
  readonly typing: Typing | undefined;
  /** The last note of this action. */
  readonly noted: string | undefined;
}

export interface ScreenState {
  /** The name of the bench. */
  readonly title: string;
  readonly course: Pick<Course, 'number' | 'total' | 'scenario' | 'step' | 'last'>;
  /** Undefined while the features act and check alone. */
  readonly asked: Asked | undefined;
  /** The last task, while a step waits for its events. */
  readonly overdue: string | undefined;
  readonly interrupted: boolean;
}

const BOLD = 1;
const DIM = 2;
const REVERSE = 7;
const RED = 31;
const GREEN = 32;
const YELLOW = 33;

/** A piece of a line in one look. */
interface Span {
  readonly text: string;
  readonly look?: number;
}

/** Lines with a lower rank go first from a screen with too few rows. */
interface Line {
  readonly spans: readonly Span[];
  readonly rank: number;
}

/** The characters, of which none moves the cursor, changes colours or hides text. */
const charactersOf = (text: string): readonly string[] =>
  Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd'));

const BLANK: Line = { spans: [], rank: 0 };

const line = (rank: number, text: string, look?: number): Line => ({
  spans: [{ text, ...(look !== undefined && { look }) }],
  rank,
});

/** The spans in at most `columns` characters; an ellipsis ends a cut text. */
const fitted = (spans: readonly Span[], columns: number): readonly Span[] => {
  const all = spans.map(({ text, look }) => ({ characters: charactersOf(text), look }));
  const length = all.reduce((sum, { characters }) => sum + characters.length, 0);
  let room = length <= columns ? columns : columns - 1;
  const cut = all.map(({ characters, look }) => {
    const text = characters.slice(0, room).join('');
    room = Math.max(0, room - characters.length);
    return { text, ...(look !== undefined && { look }) };
  });
  return length <= columns ? cut : [...cut, { text: '…' }];
};

const painted = ({ text, look }: Span): string =>
  look === undefined || text === '' ? text : `\u001b[${look}m${text}\u001b[0m`;

/** Breaks a text at spaces into lines of at most `columns` characters; a longer word is cut off later. */
const wrapped = (text: string, columns: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

const MARGIN = '  ';

/** The width of the labels of fields. */
const LABEL = 11;

const head = ({ title, course: { number, total } }: ScreenState, columns: number): Line => {
  const right = `scenario ${number} of ${total}`;
  const left = charactersOf(title)
    .slice(0, Math.max(0, columns - right.length - 3))
    .join('');
  const text = ` ${left.padEnd(columns - right.length - 2)}${right} `;
  return line(7, text, REVERSE);
};

const RESULTS = {
  passed: { mark: '✓', look: GREEN },
  failed: { mark: '✗', look: RED },
  skipped: { mark: '–', look: YELLOW },
} as const;

const resultLine = ({ name, status, reason }: Result): Line => {
  const { mark, look } = RESULTS[status];
  const words = status === 'passed' ? name : `${name}: ${reason === '' ? status : reason}`;
  return { spans: [{ text: ` ${mark} `, look }, { text: words }], rank: 3 };
};

const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

const field = (name: string, value: string, columns: number): readonly Line[] =>
  wrapped(value, columns - MARGIN.length - LABEL).map((text, index) => ({
    spans: [{ text: MARGIN + (index === 0 ? name : '').padEnd(LABEL), look: DIM }, { text }],
    rank: 5,
  }));

const keys = (list: readonly (readonly [key: string, effect: string])[]): Line => ({
  spans: [
    { text: ' ' },
    ...list.flatMap(([key, effect]) => [{ text: ` ${key} `, look: REVERSE }, { text: ` ${effect}  ` }]),
  ],
  rank: 6,
});

const KEYS = keys([
  ['Enter', 'done'],
  ['a', 'again'],
  ['s', 'skip'],
  ['n', 'note'],
  ['Ctrl-C', 'end'],
]);

const PROMPTS = {
  note: { question: 'A remark or an observed value, for the report:', effect: 'keep the note' },
  skip: { question: 'Why is this scenario skipped?', effect: 'skip the scenario' },
} as const;

/** A long text scrolls: its end is visible. */
const typed = ({ purpose, text }: Typing, columns: number): readonly Line[] => [
  line(6, MARGIN + PROMPTS[purpose].question, BOLD),
  {
    spans: [
      {
        text: `${MARGIN}> ${charactersOf(text)
          .slice(-Math.max(0, columns - MARGIN.length - 4))
          .join('')}`,
      },
      { text: ' ', look: REVERSE },
    ],
    rank: 6,
  },
];

const askedLines = (
  { number, task, device, secondsLeft, watched, typing, noted }: Asked,
  columns: number,
) => [
  line(1, `${MARGIN}Action ${number}`, DIM),
  ...wrapped(`${task}.`, columns - 2 * MARGIN.length).map((text) => line(9, MARGIN + text, BOLD)),
  BLANK,
  line(5, MARGIN + device),
  BLANK,
  ...field('Time left', minutes(secondsLeft), columns),
  ...field('Watching', watched, columns),
  ...(noted === undefined ? [] : field('Noted', noted, columns)),
  ...(typing === undefined ? [] : [BLANK, ...typed(typing, columns)]),
];

const waitingLines = (
  { course: { step }, overdue, interrupted }: ScreenState,
  columns: number,
): readonly Line[] => [
  line(9, MARGIN + (interrupted ? 'The run ends: devices are put back.' : 'Nothing to do for now.'), BOLD),
  BLANK,
  ...wrapped(step, columns - 2 * MARGIN.length).map((text) => line(5, MARGIN + text)),
  ...(overdue === undefined
    ? []
    : [
        BLANK,
        ...wrapped(
          `This has not come yet. You may do it again: ${overdue}.`,
          columns - 2 * MARGIN.length,
        ).map((text) => line(8, MARGIN + text)),
      ]),
];

const footer = ({ asked, interrupted }: ScreenState): Line => {
  if (asked?.typing !== undefined)
    return keys([
      ['Enter', PROMPTS[asked.typing.purpose].effect],
      ['Esc', 'back'],
    ]);
  if (asked !== undefined) return KEYS;
  return keys([['Ctrl-C', interrupted ? 'end at once' : 'end']]);
};

/** Removes the last line of the lowest rank until the lines fit. */
const shortened = (lines: readonly Line[], rows: number): readonly Line[] => {
  if (lines.length <= rows) return lines;
  const lowest = Math.min(...lines.map(({ rank }) => rank));
  const at = lines.findLastIndex(({ rank }) => rank === lowest);
  return shortened(lines.toSpliced(at, 1), rows);
};

/** The lines of a screen of this size, the keys in the last row. */
export const render = (state: ScreenState, columns: number, rows: number): readonly string[] => {
  const { course, asked } = state;
  const body = shortened(
    [
      head(state, columns),
      ...(course.last === undefined ? [] : [resultLine(course.last)]),
      BLANK,
      line(4, ` ${course.scenario.name}`),
      line(2, ` ${course.scenario.place}`, DIM),
      BLANK,
      ...(asked === undefined ? waitingLines(state, columns) : askedLines(asked, columns)),
    ],
    Math.max(1, rows - 1),
  );
  const gap = Array.from({ length: Math.max(0, rows - 1 - body.length) }, () => BLANK);
  return [...body, ...gap, footer(state)]
    .slice(-rows)
    .map(({ spans }) => fitted(spans, columns).map(painted).join(''));
};
