import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block. */
export interface Block {
  /** The first word behind the fence, such as `sh`; empty for none. */
  readonly language: string;
  /** What follows `needs` there: what the block takes that not everybody has, such as `root`. */
  readonly needs?: string;
  /** The file that the block becomes: a name behind the language, or in a comment that is its first line. */
  readonly file?: string;
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

/** One section, without its heading, up to the next heading of the same level or a higher one. */
export const sectionIn = (text: string, heading: string): string => {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const after = `\n${text}`.split(`\n${heading}\n`)[1];
  if (after === undefined) throw new Error(`no section has the heading "${heading}"`);
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
};

/** Lines that end in a backslash, each with the one that continues it. */
export const joinLines = (text: string): string => text.replaceAll(/ *\\\n\s*/g, ' ');
