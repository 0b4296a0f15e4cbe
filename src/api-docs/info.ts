import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Contract } from '../contract/index.js';
import { version } from '../system/package.js';

/** The head of either document; `more`: paragraphs that follow the summary. */
export const info = ({ title, summary }: Contract, ...more: readonly string[]): JsonRecord => ({
  title,
  version,
  description: [summary, ...more].join('\n\n'),
});
