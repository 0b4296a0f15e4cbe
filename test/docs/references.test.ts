/** Checks that links and anchors, files, npm scripts, commands and flags in the documents exist, and that a walk runs the commands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { COMMANDS } from '../../src/cli/commands.js';
import { blocksIn, joinLines, PAGES, readPage, sectionIn, withoutBlocks } from '../support/documents.js';
import { refusalOf } from '../support/flags.js';
import { isCommands, LACKING } from '../support/walk.js';
import { COMPILED, IN_A_GUEST, QUICK } from './walks.js';

const FOLDERS = ['.ci', '.github', 'ci', 'docs', 'features', 'simulators', 'src', 'test'];

/** Every file and folder of the project. */
const paths: readonly string[] = FOLDERS.flatMap((folder) => [
  folder,
  ...readdirSync(folder, { encoding: 'utf8', recursive: true }).map((path) =>
    `${folder}/${path}`.replaceAll('\\', '/'),
  ),
]);

const SOURCE = /\.(ts|tsx|mjs|cjs|feature|css|conf)$/;
const WITH_FOLDER = new RegExp(`^(${FOLDERS.join('|').replaceAll('.', '\\.')})/`);

/** Whether text in backticks means a file or folder of the project. */
const isPath = (text: string): boolean =>
  /^[\w.@{},*/-]+$/.test(text) &&
  !/[A-Z]{4}\.|^\*|^\/|^\.\w+$/.test(text) &&
  (SOURCE.test(text) || WITH_FOLDER.test(text));

/** Whether a path, or the end of a path, exists. `{a,b}` stands for one of several names and `*` for any name. */
const pathExists = (text: string): boolean => {
  const pattern = text
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll('*', '[^/]*')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`);
  const expected = new RegExp(`(^|/)${pattern}$`);
  return existsSync(text) || paths.some((path) => expected.test(path));
};

/** The anchors that GitHub makes from the headings of a page. */
const anchorsOf = (page: string): readonly string[] =>
  [...withoutBlocks(readPage(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const brokenLinks = (page: string): readonly string[] =>
  [...withoutBlocks(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(file).includes(anchor);
    });

const missingFiles = (page: string): readonly string[] => {
  const text = readPage(page);
  const named = [...withoutBlocks(text).matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path).filter(isPath);
  const compiled = [...text.matchAll(/\bdist\/((?:src|test|features|ci|docs)\/[\w./-]+)\.js\b/g)];
  const madeByReader = (path: string): boolean =>
    !path.includes('/') && blocksIn(text).some((block) => block.text.includes(path));
  return [
    ...named.filter((path) => !madeByReader(path)),
    ...compiled.map(([, path = '']) => `${path}.ts`),
  ].filter((path) => !pathExists(path));
};

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

const missingScripts = (page: string): readonly string[] =>
  [...readPage(page).matchAll(/\bnpm run (?:--silent )?([a-z][\w-]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !(name in scripts));

/** The command lines in the blocks of a page. */
const commandLines = (page: string): readonly string[] =>
  blocksIn(readPage(page))
    .filter(({ language }) => ['', 'sh', 'console'].includes(language))
    .flatMap(({ text }) => joinLines(text).split('\n'));

const OWN = /(?:^|[\s(])npx airbench ([a-z-]+)([^#&|]*)/;

/** The refused command lines of a page, each with its reason. */
const refusedCommands = async (page: string): Promise<readonly string[]> => {
  const refused: string[] = [];
  for (const line of commandLines(page)) {
    const [, name = '', text = ''] = OWN.exec(line) ?? [];
    if (name === '') continue;
    // Without the command for another command to run, and without a configuration file of the reader.
    const flags = (text.split(' -- ')[0] ?? '').replace(/--config \S+/, '');
    const args = flags.split(/\s+/).filter((word) => word !== '');
    const command = await COMMANDS.get(name)?.();
    const placed = name === 'linux' ? [...args, '--', 'true'] : args;
    const refusal = command === undefined ? 'no such command' : refusalOf(command, placed);
    if (refusal !== 'accepted') refused.push(`${line}: ${refusal}`);
  }
  return refused;
};

/** The texts of the blocks of a page in walks. */
const walkedBlocks = (page: string): readonly string[] =>
  [...QUICK, ...COMPILED, ...IN_A_GUEST]
    .filter(([walkedPage]) => walkedPage === page)
    .flatMap(([, heading]) => blocksIn(sectionIn(readPage(page), heading)))
    .map(({ text }) => text);

describe('The documents', () => {
  for (const page of PAGES) {
    it(`link to existing pages and headings, and name existing files and npm scripts: ${page}`, () => {
      expect(brokenLinks(page)).to.deep.equal([]);
      expect(missingFiles(page)).to.deep.equal([]);
      expect(missingScripts(page)).to.deep.equal([]);
    });

    it(`call airbench by npx, with flags that it accepts: ${page}`, async () => {
      expect(
        commandLines(page).filter((line) => /^(\$ )?(sudo |\w+=\S+ )*airbench /.test(line)),
      ).to.deep.equal([]);
      expect(await refusedCommands(page)).to.deep.equal([]);
    });

    it(`have commands that a walk runs, unless the walk lacks what they need: ${page}`, () => {
      const blocks = blocksIn(readPage(page));
      const commands = blocks.filter((block) => isCommands(block) && block.needs === undefined);
      expect(walkedBlocks(page)).to.include.members(commands.map(({ text }) => text));
      expect(LACKING).to.include.members(blocks.flatMap(({ needs }) => needs ?? []));
      const prompts = blocks.filter(({ text }) => text.startsWith('$ '));
      expect(prompts.filter(({ language }) => language !== 'console')).to.deep.equal([]);
    });
  }
});
