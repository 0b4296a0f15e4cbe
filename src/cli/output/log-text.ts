/** Turns pino's lines of JSON into lines for people. */
import { levels } from 'pino';
import { printable } from './print.js';

const WARNING = 40;
const ERROR = 50;
const LEVELS: Readonly<Record<number, string>> = { ...levels.labels, [WARNING]: 'warning' };

/** ECMA-48, Select Graphic Rendition: the codes that turn a style on, and off. */
const STYLES = { dim: [2, 22], red: [31, 39], yellow: [33, 39] } as const;
type Style = keyof typeof STYLES;

/** The widths of the longest name, `clock server`, and of the longest level, `warning`. */
const [NAME_WIDTH, LEVEL_WIDTH] = [12, 7];

interface Entry {
  readonly level: number;
  readonly time: number;
  readonly name: string;
  readonly msg: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [field: string]: unknown;
}

/** The fields of every line, which have their own place in the text or no use on a terminal. */
const EVERYWHERE = ['level', 'time', 'name', 'msg', 'err', 'pid', 'hostname'];

const entryOf = (line: string): Entry | undefined => {
  if (!line.startsWith('{"level":')) return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
};

/** `14:02:31` */
const timeOfDay = (ms: number): string => new Date(ms).toTimeString().slice(0, 8);

const valueText = (value: unknown): string =>
  printable(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value));

const fieldsOf = (entry: Entry): string =>
  Object.entries(entry)
    .filter(([key]) => !EVERYWHERE.includes(key))
    .map(([key, value]) => `  ${printable(key)}=${valueText(value)}`)
    .join('');

/** The error's message unless the line has it already, and the stack if the level is an error. */
const errorOf = ({ level, msg, err }: Entry): string => {
  const { message = '', stack = '' } = err ?? {};
  const trace = level >= ERROR ? stack.split('\n').slice(1) : [];
  return [
    message === '' || msg.includes(message) ? '' : ` (${printable(message)})`,
    ...trace.map((line) => `\n    ${printable(line.trim())}`),
  ].join('');
};

/** `14:02:31  warning  dice server   the Bluetooth adapter is poweredOff`; other lines stay unchanged. */
export const textOf = (line: string, hasColours: boolean): string => {
  const entry = entryOf(line);
  if (entry === undefined) return printable(line);
  const styled = (style: Style, text: string): string => {
    const [on, off] = STYLES[style];
    return hasColours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
  const level = (LEVELS[entry.level] ?? String(entry.level)).padEnd(LEVEL_WIDTH);
  return [
    styled('dim', timeOfDay(entry.time)),
    styled(entry.level >= ERROR ? 'red' : entry.level >= WARNING ? 'yellow' : 'dim', level),
    printable(entry.name).padEnd(NAME_WIDTH),
    printable(entry.msg) + styled('dim', fieldsOf(entry)) + errorOf(entry),
  ].join('  ');
};
