/** The list of steps for a terminal. */
import type { ListedStep, StepGroup, StepUse } from './steps.js';

const GROUPS: readonly StepGroup[] = ['Given', 'When', 'Then', 'unused'];

const COLUMNS = 100;
const INDENT = '      ';

/** Places of a step that the list of all steps shows. */
const FEW = 3;

const wrapped = (first: string, rest: string, text: string): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && rest.length + line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((part, index) => (index === 0 ? first : rest) + part).join('\n');
};

/** `features/dice/scan.feature:6,17; features/dice/faults.feature:9` */
const placesText = (places: readonly string[]): string => {
  const lines = new Map<string, string[]>();
  for (const place of places) {
    const [file = '', line = ''] = place.split(':');
    lines.set(file, [...(lines.get(file) ?? []), line]);
  }
  return [...lines].map(([file, numbers]) => `${file}: ${numbers.join(', ')}`).join('; ');
};

const usesText = (uses: readonly StepUse[], most: number): string => {
  const places = [...new Set(uses.map(({ place }) => place))];
  const more = places.length - most;
  const count = uses.length === 1 ? '1 use' : `${uses.length} uses`;
  const end = more > 0 ? ` and ${more} more` : '';
  return wrapped(INDENT, INDENT, `${count}, ${placesText(places.slice(0, most))}${end}`);
};

const stepText = ({ pattern, uses }: ListedStep, most: number): string =>
  [wrapped('  ', '    ', pattern), ...(uses.length === 0 ? [] : [usesText(uses, most)])].join('\n');

/** Whether a word of the text begins with `beginning`. */
const hasWord = (text: string, beginning: string): boolean =>
  ` ${text}`
    .toLowerCase()
    .split(beginning.toLowerCase())
    .slice(0, -1)
    .some((before) => /[^a-z]$/.test(before));

/** The step with the uses that have all words; with all its uses if its pattern has them. */
const narrowed = (step: ListedStep, words: readonly string[]): readonly ListedStep[] => {
  const hasAll = (text: string): boolean => words.every((word) => hasWord(text, word));
  if (hasAll(step.pattern)) return [step];
  const uses = step.uses.filter(({ text }) => hasAll(text));
  return uses.length === 0 ? [] : [{ ...step, uses }];
};

/** The steps with all these words, or beginnings of words, in their pattern or in a use, with the places; without words, all steps with a few. */
export const stepsText = (steps: readonly ListedStep[], words: readonly string[]): string => {
  const listed = steps.flatMap((step) => narrowed(step, words));
  if (listed.length === 0) return `no step has the words: ${words.join(' ')}\n`;
  const most = words.length === 0 ? FEW : Infinity;
  const parts = GROUPS.flatMap((group) => {
    const ofGroup = listed.filter((step) => step.group === group);
    return ofGroup.length === 0 ? [] : [[group, ...ofGroup.map((step) => stepText(step, most))].join('\n')];
  });
  return `${parts.join('\n\n')}\n`;
};
