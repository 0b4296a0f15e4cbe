import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block. */
export interface Block {
  /** The first word after the fence, such as `sh`, or empty. */
  readonly language: string;
  /** The words after `needs`: special requirements of the block, such as `root`. */
  readonly needs?: string;
  /** The file that the block becomes: a name after the language, or in a comment that is its first line. */
  readonly file?: string;
  readonly text: string;
}

/** The pages that people read: all but the list of changes. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs', { encoding: 'utf8', recursive: true })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort(),
];

export const readPage = (page: string): string => readFileSync(page, 'utf8');

const FENCED = /^( *)```(\w*)(?: (.+))?\n([^]*?)^\1```$/gm;

export const blocksIn = (page: string): readonly Block[] =>
  [...page.matchAll(FENCED)].map(([, indent = '', language = '', info = '', code = '']) => {
    const text = code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const [, needs] = /^needs (.*)$/.exec(info) ?? [];
    const [, file] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? [];
    if (needs !== undefined) return { language, needs, text };
    if (info !== '') return { language, file: info, text };
    return file === undefined ? { language, text } : { language, file, text };
  });

export const withoutBlocks = (text: string): string => text.replaceAll(FENCED, '');

/** One section, without its heading, up to the next heading of the same level or a higher one; a comment in a block is not a heading. */
export const sectionIn = (page: string, heading: string): string => {
  const bare = page.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, ' '));
  const at = `\n${bare}`.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`no section has the heading "${heading}"`);
  const from = at + heading.length;
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const length = bare.slice(from).search(new RegExp(`^#{1,${level}} `, 'm'));
  return page.slice(from, length < 0 ? undefined : from + length);
};

/** Joins each line that ends in a backslash with the next line. */
export const joinLines = (text: string): string => text.replaceAll(/ *\\\n\s*/g, ' ');
