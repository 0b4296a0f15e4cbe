/** Parts that OpenAPI and AsyncAPI share: examples from real requests and answers, and texts. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { json } from '../codecs/index.js';
import { failures, type Contract, type FailureCode } from '../contract/index.js';
import { version } from '../system/package.js';

const byName = t.readonly(t.record(t.string, json()));

export const Examples = t.readonly(
  t.type({
    /** For each id of an operation: a body, parameters of path and query by name, and the answer of success. */
    operations: t.readonly(
      t.record(t.string, t.readonly(t.partial({ request: json(), parameters: byName, answer: json() }))),
    ),
    /** Bodies of errors by code. */
    errors: byName,
    /** Messages of WebSockets, by the title of their schema. */
    messages: byName,
  }),
);
export type Examples = t.TypeOf<typeof Examples>;

export const NO_EXAMPLES: Examples = { operations: {}, errors: {}, messages: {} };

/** A member `name`, or nothing for an undefined `value`. */
export const whereGiven = (name: string, value: Json | undefined): Readonly<Record<string, Json>> =>
  value === undefined ? {} : { [name]: value };

/** The head of a document. `more`: paragraphs after the summary. */
export const info = ({ title, summary }: Contract, ...more: readonly string[]): JsonRecord => ({
  title,
  version,
  description: [summary, ...more].join('\n\n'),
});

/** Error codes as a Markdown list, each with its message. */
export const failureList = (codes: readonly FailureCode[]): string =>
  [...new Set(codes)].map((code) => `- \`${code}\`: ${failures[code].summary}`).join('\n');

/** `markdown` as plain text. */
export const plain = (markdown: string): string => markdown.replaceAll('`', '');

/** The name of an operation within another name: `setAir` as `SetAir`. */
export const pascalCase = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
