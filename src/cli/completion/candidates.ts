/** The words that fit at the end of a command line of `airbench`. */
import type { Command, Option } from 'commander';

/** The commands of `airbench` by name, each loaded on demand. */
export type Commands = ReadonlyMap<string, () => Promise<Command>>;

export interface Candidate {
  readonly word: string;
  /** Empty without a description. */
  readonly description: string;
}

/** Stands for the paths of all files and folders. */
export const PATHS: Candidate = { word: ':files', description: '' };

const plain = (words: readonly string[]): readonly Candidate[] =>
  words.map((word) => ({ word, description: '' }));

/** The words of a line as they are typed, with quotes; after a space, the last word is empty. */
export const wordsIn = (line: string): readonly string[] => {
  const matches = [...line.matchAll(/(?:\\.?|'[^']*'?|"(?:\\.?|[^"\\])*"?|[^\s\\'"])+/gs)];
  const last = matches.at(-1);
  const isInWord = last !== undefined && last.index + last[0].length === line.length;
  return [...matches.map(([word]) => word), ...(isInWord ? [] : [''])];
};

/** A position in the arguments of a command. */
interface Position {
  readonly command: Command;
  /** The number of arguments before the position, without flags and their values. */
  readonly operands: number;
  /** The option before the position whose value must or may follow. */
  readonly option: Option | undefined;
  /** Whether `--` has ended the flags. */
  readonly isPastFlags: boolean;
}

const startOf = (command: Command): Position => ({
  ...{ command, operands: 0, option: undefined, isPastFlags: false },
});

const optionNamed = (command: Command, name: string): Option | undefined =>
  command.options.find(({ long, short }) => name === long || name === short);

/** The position after another word. */
const after = (position: Position, word: string): Position => {
  const { command, operands, option, isPastFlags } = position;
  if (option?.required === true) return { ...position, option: undefined };
  if (!isPastFlags && word.startsWith('-')) {
    const named = optionNamed(command, word);
    const takesValue = named?.required === true || named?.optional === true;
    return { ...position, option: takesValue ? named : undefined, isPastFlags: word === '--' };
  }
  if (option !== undefined) return { ...position, option: option.variadic ? option : undefined };
  const subcommand = operands === 0 ? command.commands.find((inner) => inner.name() === word) : undefined;
  return subcommand === undefined ? { ...position, operands: operands + 1 } : startOf(subcommand);
};

const PATH_PLACEHOLDER = /[<[](?:file|folder|path|plan)[\]>]/;

const valuesOf = ({ argChoices = [], flags }: Option): readonly Candidate[] => [
  ...plain(argChoices),
  ...(PATH_PLACEHOLDER.test(flags) ? [PATHS] : []),
];

const flagsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long = '', description }) => ({ word: long, description }));

const subcommandsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((inner) => ({ word: inner.name(), description: inner.description() }));

/** The values of an argument: its choices, or paths unless it has a parser. */
const operandsOf = ({ registeredArguments }: Command, before: number): readonly Candidate[] => {
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[before] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return [];
  const { argChoices = [], parseArg } = argument;
  return parseArg === undefined ? [PATHS] : plain(argChoices);
};

/** The candidates at a position; `word` is what is typed there. */
const fitting = (
  { command, operands, option, isPastFlags }: Position,
  word: string,
): readonly Candidate[] => {
  const values = option === undefined ? [] : valuesOf(option);
  if (option?.required === true) return values;
  if (!isPastFlags && word.startsWith('-')) {
    const [assignment, name = ''] = /^(--[^=]+)=/.exec(word) ?? [];
    if (assignment === undefined) return flagsOf(command);
    const named = optionNamed(command, name);
    const assigned = named === undefined ? [] : valuesOf(named);
    return assigned.map((value) =>
      value === PATHS ? PATHS : { ...value, word: `${assignment}${value.word}` },
    );
  }
  const subcommands = operands === 0 && !isPastFlags ? subcommandsOf(command) : [];
  const next = [...subcommands, ...operandsOf(command, operands)];
  return [...values, ...(next.length === 0 && !isPastFlags ? flagsOf(command) : next)];
};

const HELP = 'help';

const anyFor = async (
  [name = '', ...args]: readonly string[],
  program: Command,
  commands: Commands,
): Promise<readonly Candidate[]> => {
  const names = [...commands.keys()];
  const word = args.at(-1);
  if (word === undefined) return name.startsWith('-') ? flagsOf(program) : plain([...names, HELP]);
  if (name === HELP) return args.length === 1 ? plain(names) : [];
  const command = await commands.get(name)?.();
  return command === undefined ? [] : fitting(args.slice(0, -1).reduce(after, startOf(command)), word);
};

/**
 * The candidates for the last of `words`, which may be incomplete or empty. The first word is the name of a command, which alone is
 * loaded.
 */
export const candidatesFor = async (
  words: readonly string[],
  program: Command,
  commands: Commands,
): Promise<readonly Candidate[]> => {
  const typed = words.at(-1) ?? '';
  const candidates = await anyFor(words, program, commands);
  return candidates.filter((candidate) => candidate === PATHS || candidate.word.startsWith(typed));
};
