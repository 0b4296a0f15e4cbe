/** The Containerfile, read as a builder reads it. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { newFolder } from './folders.js';

interface Instruction {
  readonly name: string;
  readonly args: string;
}

/** The instructions of each stage, by its name. */
export const stages: ReadonlyMap<string, Instruction[]> = (() => {
  const instructionsOf = new Map<string, Instruction[]>();
  const lines = readFileSync('docs/production/Containerfile', 'utf8')
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines) {
    const [, name = '', args = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') instructionsOf.set(/ AS (\w+)$/.exec(args)?.[1] ?? '', []);
    else if (name !== '') [...instructionsOf.values()].at(-1)?.push({ name, args });
  }
  return instructionsOf;
})();

export const instructions = (name: string, stage?: string): readonly string[] =>
  (stage === undefined ? [...stages.values()].flat() : (stages.get(stage) ?? []))
    .filter((instruction) => instruction.name === name)
    .map(({ args }) => args);

export const words = (json: string | undefined): readonly string[] => JSON.parse(json ?? '[]') as string[];

/** The path of the program in a new folder with the files of the images. */
export const imageProgram = (): string => {
  const root = newFolder();
  for (const args of instructions('COPY', 'base')) {
    const [source = '', target = ''] = args.replace('--from=build /airbench/', '').split(' ');
    const to = join(root, target, target === './' ? source : '');
    mkdirSync(dirname(to), { recursive: true });
    if (source === 'node_modules') symlinkSync(resolve(source), to);
    else cpSync(source, to, { recursive: true });
  }
  const [entry] = instructions('ENTRYPOINT', 'base').map(words);
  return (entry?.[1] ?? '').replace('/airbench', root);
};
