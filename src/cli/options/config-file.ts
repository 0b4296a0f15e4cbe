/** Flags by their names in a YAML file, each read as on the command line. */
import { InvalidArgumentError, type Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';
import { readBytes, checkVersion } from '../../system/files.js';
import { refuse } from './usage.js';

/** The number of letters to add, remove or replace that turns `a` into `b`. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The word most similar to `written`; undefined if no word is similar. */
export const nearest = (written: string, words: readonly string[]): string | undefined => {
  const [best] = words
    .map((word) => ({ word, off: distance(written.toLowerCase(), word) }))
    .sort((a, b) => a.off - b.off);
  return best !== undefined && best.off <= Math.max(2, written.length / 3) ? best.word : undefined;
};

interface Problem {
  readonly offset: number;
  readonly cause: string;
}

type Read<A> = E.Either<Problem, A>;

const wrong = (node: ParsedNode | null, reason: string): Read<never> =>
  E.left({ offset: node?.range[0] ?? 0, cause: reason });

/** The text of a value, as it would stand on the command line. */
const textOf = (name: string, node: ParsedNode): Read<string> => {
  if (!isScalar(node)) return wrong(node, `${name} must be a single value`);
  if (node.value !== null) return E.right(node.source);
  // `null` is the origin of a page from disk, but an empty value in YAML.
  const advice = node.source === 'null' ? ': put "null" in quotes if you mean the word' : '';
  return wrong(node, `${name} has no value${advice}`);
};

const parsed = (option: Option, name: string, node: ParsedNode, previous: unknown): Read<unknown> =>
  pipe(
    textOf(name, node),
    E.chain((text) => {
      try {
        return E.right(option.parseArg?.(text, previous) ?? text);
      } catch (thrown) {
        if (!(thrown instanceof InvalidArgumentError)) throw thrown;
        const { message } = thrown;
        return wrong(node, message.startsWith('it ') ? message.replace('it', name) : `${name}: ${message}`);
      }
    }),
  );

/** The value of a flag; only a repeatable flag may have a list. */
const valueOf = (option: Option, name: string, node: ParsedNode): Read<unknown> => {
  const fallback: unknown = option.defaultValue;
  if (!isSeq(node)) return parsed(option, name, node, fallback);
  if (!Array.isArray(fallback)) return wrong(node, `${name} takes one value, not a list`);
  // Each item starts a new list: appending to the previous values would copy them for each item, in quadratic time.
  return pipe(
    node.items,
    E.traverseArray((item) => parsed(option, name, item, [])),
    E.map((read) => read.flat()),
  );
};

interface Line {
  readonly key: string;
  readonly at: ParsedNode;
  readonly value: ParsedNode | null;
}

/** The keys of the file with their values. */
const linesOf = (file: Document.Parsed, lineOf: (offset: number) => number): Read<readonly Line[]> => {
  const [invalid] = [...file.errors, ...file.warnings];
  if (invalid !== undefined)
    return E.left({ offset: invalid.pos[0], cause: `it is not valid YAML: ${invalid.message}` });
  const { contents } = file;
  if (contents === null || (isScalar(contents) && contents.value === null)) return E.right([]);
  if (!isMap(contents)) return wrong(contents, 'it must hold flags by their names, such as port: 3000');
  const lineOfKey = new Map<string, number>();
  return pipe(
    contents.items,
    E.traverseArray(({ key: at, value }) => {
      if (!isScalar(at)) return wrong(at, 'a flag must be named by a word');
      const key = at.source;
      const first = lineOfKey.get(key);
      if (first !== undefined) return wrong(at, `${key} is there already, in line ${first}`);
      lineOfKey.set(key, lineOf(at.range[0]));
      return E.right({ key, at, value });
    }),
  );
};

/** The value of each flag, by its name in the program. */
type Values = readonly (readonly [string, unknown])[];

const valuesOf = (lines: readonly Line[], command: Command): Read<Values> => {
  const optionsByName = new Map(
    command.options.flatMap((option) => {
      const { long = '' } = option;
      return long === '--config' ? [] : [[long.replace(/^--/, ''), option] as const];
    }),
  );
  return pipe(
    lines.filter(({ key }) => key !== 'version'),
    E.traverseArray(({ key, at, value }) => {
      const option = optionsByName.get(key);
      if (option === undefined) {
        const near = nearest(key, [...optionsByName.keys()]);
        const advice = near === undefined ? '' : `; the nearest is ${near}`;
        return wrong(at, `${command.name()} has no flag ${key}${advice}`);
      }
      if (value === null) return wrong(at, `${key} has no value`);
      return pipe(
        valueOf(option, key, value),
        E.map((read) => [option.attributeName(), read] as const),
      );
    }),
  );
};

/**
 * Sets the flags of a file on a command, unless the command line or the environment sets them. An error in the file ends
 * the program like a wrong flag, with the number of its line.
 */
export const applyConfig = (path: string, command: Command): void => {
  const bytes = readBytes(path);
  if (E.isLeft(bytes)) return refuse(command, `${path}: ${bytes.left}`);
  const counter = new LineCounter();
  const lineOf = (offset: number): number => counter.linePos(offset).line;
  const file = parseDocument(bytes.right.toString('utf8'), {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const read = pipe(
    linesOf(file, lineOf),
    E.bindTo('lines'),
    E.chainFirst(({ lines }) => {
      const version = lines.find(({ key }) => key === 'version');
      const offset = version?.at.range[0] ?? 0;
      const written = version?.value;
      if (written !== undefined && !isScalar(written))
        return E.left({ offset, cause: 'its version must be a whole number' });
      return pipe(
        checkVersion(written?.value),
        E.mapLeft((reason) => ({ offset, cause: reason })),
      );
    }),
    E.chain(({ lines }) => valuesOf(lines, command)),
  );
  if (E.isLeft(read)) {
    const { offset, cause: reason } = read.left;
    return refuse(command, `${path}, line ${lineOf(offset)}: ${reason}`);
  }
  for (const [name, value] of read.right) {
    const source = command.getOptionValueSource(name);
    if (source === undefined || source === 'default') command.setOptionValueWithSource(name, value, 'config');
  }
};
