import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block. */
export interface Block {
  /** What stands behind the fence, such as `sh`; empty for none. */
  readonly language: string;
  readonly text: string;
}

/** The pages that people read: all but the list of changes. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync('docs', { encoding: 'utf8', recursive: true })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort(),
];

export const readPage = (page: string): string => readFileSync(page, 'utf8');

const FENCED = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

export const blocksIn = (text: string): readonly Block[] =>
  [...text.matchAll(FENCED)].map(([, indent = '', language = '', code = '']) => ({
    language,
    text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

export const withoutBlocks = (text: string): string => text.replaceAll(FENCED, '');

/** One section, without its heading, up to the next heading of the same level or a higher one. */
export const sectionIn = (text: string, heading: string): string => {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const after = `\n${text}`.split(`\n${heading}\n`)[1];
  if (after === undefined) throw new Error(`no section has the heading "${heading}"`);
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
};

/** Lines that end in a backslash, each with the one that continues it. */
export const joinLines = (text: string): string => text.replaceAll(/ *\\\n\s*/g, ' ');
