import type { Json } from 'fp-ts/lib/Json.js';
import type { FailureCode } from '../contract/index.js';
import { failures } from '../contract/index.js';
import { escaped } from '../html/index.js';

/** Text with `code` in it. */
export const inline = (markdown: string): string =>
  escaped(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Lines that are HTML already. */
export const listing = (title: string, html: string): string =>
  `<p><b>${title}</b></p><pre><code>${html}</code></pre>`;

export const example = (value: Json | undefined): string =>
  value === undefined ? '' : listing('Example', escaped(JSON.stringify(value, null, 2)));

export const failureItems = (codes: readonly FailureCode[]): string =>
  `<ul>${[...new Set(codes)].map((code) => `<li><code>${code}</code> ${inline(failures[code].summary)}</li>`).join('')}</ul>`;

export const foldable = (head: string, content: string): string =>
  `<details><summary>${head}</summary><div>${content}</div></details>`;
