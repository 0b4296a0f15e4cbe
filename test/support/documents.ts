import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block. */
export interface Block {
  /** The first word behind the fence, such as `sh`; empty for none. */
  readonly language: string;
  /** The words after `needs` there: requirements of the block that not everybody has, such as `root`. */
  readonly needs?: string;
  /** The file that the block becomes: a name behind the language, or in a comment that is its first line. */
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

/** One section, without its heading, up to the next heading of the same level or a higher one; comments in blocks are no headings. */
export const sectionIn = (page: string, heading: string): string => {
  const bare = page.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, ' '));
  const at = `\n${bare}`.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`no section has the heading "${heading}"`);
  const from = at + heading.length;
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const length = bare.slice(from).search(new RegExp(`^#{1,${level}} `, 'm'));
  return page.slice(from, length < 0 ? undefined : from + length);
};

/** Lines that end in a backslash, each with the one that continues it. */
export const joinLines = (text: string): string => text.replaceAll(/ *\\\n\s*/g, ' ');
