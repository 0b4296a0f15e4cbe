import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import ts from 'typescript';

/** The line behind which the example of each file goes: its last one that reads so. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['src/clock/cgd1/protocol/command.ts', 'const commands = {'],
  ['src/clock/contract.ts', 'export const requests = {'],
  ['src/clock/commands.ts', "  const requests: ClockCommands['requests'] = {"],
  ['simulators/clock/model.ts', '    switch (command._tag) {'],
]);

/** The blocks of code that say in which file they belong. */
const examples = new Map(
  [...readFileSync('docs/architecture.md', 'utf8').matchAll(/```ts\n\/\/ (\S+), in .*\n([^]*?)```/g)].map(
    ([, file = '', code = '']) => [file, code],
  ),
);

const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');

const places = new Set([...PLACES.keys()].map((file) => resolve(file)));

/** Files that no example changes, each read once for all programs. */
const unchanged = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of the clock server and the virtual clock with the examples of `files` in their places. */
const errorsWith = (files: readonly string[]): readonly string[] => {
  const changed = new Map(
    files.map((file) => {
      const place = `\n${PLACES.get(file) ?? expect.fail(file)}\n`;
      const text = readFileSync(file, 'utf8');
      const at = text.lastIndexOf(place);
      expect(at, file).to.be.above(0);
      const head = text.slice(0, at + place.length);
      return [resolve(file), `${head}${examples.get(file) ?? ''}${text.slice(head.length)}`];
    }),
  );
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (path) => changed.get(resolve(path)) ?? readFile(path);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...how) => {
    if (places.has(resolve(path))) return getSourceFile(path, ...how);
    if (!unchanged.has(path)) unchanged.set(path, getSourceFile(path, ...how));
    return unchanged.get(path);
  };
  const program = ts.createProgram(
    ['src/clock/server.ts', 'simulators/clock/virtual-clock.ts'],
    { ...options, noEmit: true },
    host,
  );
  return [...PLACES.keys()]
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

describe('The new command of docs/architecture.md', () => {
  it('has an example for each place', () => {
    expect([...examples.keys()]).to.deep.equal([...PLACES.keys()]);
  });

  it('compiles', () => {
    expect(errorsWith([...PLACES.keys()])).to.deep.equal([]);
  });

  it('does not without its handler, which the compiler names', () => {
    const files = [...PLACES.keys()].filter((file) => file !== 'src/clock/commands.ts');
    expect(errorsWith(files).join('\n')).to.match(/'flash' is missing/);
  });
});
