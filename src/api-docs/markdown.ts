import { failures, type FailureCode } from '../contract/index.js';

/** Error codes as a Markdown list, each with its message. */
export const failureList = (codes: readonly FailureCode[]): string =>
  [...new Set(codes)].map((code) => `- \`${code}\`: ${failures[code].summary}`).join('\n');

/** `markdown` where a document has plain text. */
export const plain = (markdown: string): string => markdown.replaceAll('`', '');

/** The name of an operation at the beginning or the end of another name: `setAir` as `SetAir`. */
export const pascalCase = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
