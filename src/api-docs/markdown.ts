/** Texts that OpenAPI and AsyncAPI share. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { failures, type Contract, type FailureCode } from '../contract/index.js';
import { version } from '../system/package.js';

/** The head of either document; `more`: paragraphs that follow the summary. */
export const info = ({ title, summary }: Contract, ...more: readonly string[]): JsonRecord => ({
  title,
  version,
  description: [summary, ...more].join('\n\n'),
});

/** Error codes as a Markdown list, each with its message. */
export const failureList = (codes: readonly FailureCode[]): string =>
  [...new Set(codes)].map((code) => `- \`${code}\`: ${failures[code].summary}`).join('\n');

/** `markdown` where a document has plain text. */
export const plain = (markdown: string): string => markdown.replaceAll('`', '');

/** The name of an operation at the beginning or the end of another name: `setAir` as `SetAir`. */
export const pascalCase = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
