import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import ts from 'typescript';

/** Code of docs/architecture.md, and the line of a file after which it goes: the last line with this text. */
interface Example {
  readonly file: string;
  readonly line: string;
  readonly code: string;
}

const [, ...sections] = readFileSync('docs/architecture.md', 'utf8').split(/^### … /m);

const walks = new Map(
  sections.map((section): readonly [string, readonly Example[]] => [
    section.slice(0, section.indexOf('\n')),
    [...section.matchAll(/```ts\n([^]*?)```/g)].flatMap(([, block = '']) =>
      [...block.matchAll(/^\/\/ (\S+), after "(.*)"\n([^]*?)(?=^\/\/ |$(?![^]))/gm)].map(
        ([, file = '', line = '', code = '']) => ({ file, line, code }),
      ),
    ),
  ]),
);

const CHECKED = ['src/dice', 'src/clock', 'src/devices', 'src/operations', 'src/contract', 'simulators'];

const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');

/** Unchanged files, each read once for all programs, and the last program, which the next program reuses. */
const unchanged = new Map<string, ts.SourceFile | undefined>();
let last: ts.Program | undefined;

const withExample = (text: string, { file, line, code }: Example): string => {
  const lines = text.split('\n');
  const at = lines.findLastIndex((one) => one.trim() === line);
  expect(at, `${file} has a line ${line}`).to.be.at.least(0);
  return lines.toSpliced(at + 1, 0, code).join('\n');
};

/** The first messages of the compiler about `files`, with `examples` in their files. */
const errorsWith = (
  examples: readonly Example[],
  files: (program: ts.Program) => readonly ts.SourceFile[],
): readonly string[] => {
  const changed = new Map<string, string>();
  for (const example of examples) {
    const path = resolve(example.file);
    changed.set(path, withExample(changed.get(path) ?? readFileSync(path, 'utf8'), example));
  }
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (path) => changed.get(resolve(path)) ?? readFile(path);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...parameters) => {
    if (changed.has(resolve(path))) return getSourceFile(path, ...parameters);
    if (!unchanged.has(path)) unchanged.set(path, getSourceFile(path, ...parameters));
    return unchanged.get(path);
  };
  const roots = ['src/clock/server.ts', 'src/dice/server.ts', 'simulators/devices/cgd1/virtual-clock.ts'];
  const program = ts.createProgram(roots, { ...options, noEmit: true }, host, last);
  last = program;
  for (const file of files(program)) {
    const errors = program.getSemanticDiagnostics(file);
    if (errors.length > 0)
      return errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }
  return [];
};

/** All files of both servers and of their virtual devices. */
const checkedFiles = (program: ts.Program): readonly ts.SourceFile[] =>
  program
    .getSourceFiles()
    .filter(({ fileName }) => CHECKED.some((folder) => resolve(fileName).startsWith(resolve(folder))));

/** The lines of the first snippets, without which the compiler does not complain. */
const FIRST: readonly string[] = ['const statusFields = {', 'export const failures = {'];

describe('A walk of docs/architecture.md', () => {
  it('leads to a command, a field of a status, an error code and a maker of dice', () => {
    expect([...walks.keys()]).to.have.length(4);
    expect([...walks.values()].map((examples) => examples.length)).to.deep.equal([4, 7, 3, 0]);
  });

  it('compiles with all its examples', () => {
    expect(errorsWith([...walks.values()].flat(), checkedFiles)).to.deep.equal([]);
  });

  for (const [title, examples] of walks) {
    // The compiler complains in a file that the walk changes.
    const filesOf = (program: ts.Program): readonly ts.SourceFile[] =>
      examples.flatMap(({ file }) => program.getSourceFile(resolve(file)) ?? []);
    for (const missing of examples.filter(({ line }) => !FIRST.includes(line))) {
      it(`to ${title} does not compile without its lines after "${missing.line}" in ${missing.file}`, () => {
        const others = examples.filter((example) => example !== missing);
        expect(errorsWith(others, filesOf)).to.not.deep.equal([]);
      });
    }
  }
});
