import type { Json } from 'fp-ts/lib/Json.js';
import type { FailureCode } from '../contract/index.js';
import { failures } from '../contract/index.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escape = (text: string): string => text.replace(/[&<>"]/g, (found) => ENTITIES[found] ?? found);

/** A sentence with `code` in it. */
export const sentence = (markdown: string): string =>
  escape(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');

const pre = (html: string): string => `<pre><code>${html}</code></pre>`;

const written = (value: Json): string => escape(JSON.stringify(value, null, 2));

export const example = (value: Json | undefined): string =>
  value === undefined ? '' : `<h5>Example</h5>${pre(written(value))}`;

/** The id of the element that shows a schema. */
export const schemaId = (name: string): string => `schema-${name}`;

/** A schema; those that it refers to are links. */
export const schemaOf = (name: string, value: Json): string =>
  `<h5>Schema</h5><div id="${schemaId(name)}">${pre(
    written(value).replace(
      /&quot;#\/components\/schemas\/([\w.-]+)&quot;/g,
      (found, referred: string) => `<a href="#${schemaId(referred)}">${found}</a>`,
    ),
  )}</div>`;

export const failureItems = (codes: readonly FailureCode[]): string =>
  `<ul>${codes.map((code) => `<li><code>${code}</code> ${sentence(failures[code].summary)}</li>`).join('')}</ul>`;

export const foldable = (head: string, content: string): string =>
  `<details><summary>${head}</summary><div>${content}</div></details>`;
