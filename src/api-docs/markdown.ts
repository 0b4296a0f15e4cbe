import { failures, type FailureCode } from '../contract/index.js';

/** Error codes as a Markdown list, each with its message. */
export const failureList = (codes: readonly FailureCode[]): string =>
  [...new Set(codes)].map((code) => `- \`${code}\`: ${failures[code].summary}`).join('\n');

/** `markdown` where a document has plain text. */
export const plain = (markdown: string): string => markdown.replaceAll('`', '');
