/** Messages that were really sent and answered, as documents show them. */
import type { Json } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { json } from '../codecs/index.js';

const byName = t.readonly(t.record(t.string, json()));

export const Examples = t.readonly(
  t.type({
    /** Examples by operation id: a body, parameters of path and query by name, and the successful response. */
    operations: t.readonly(
      t.record(t.string, t.readonly(t.partial({ request: json(), parameters: byName, answer: json() }))),
    ),
    /** Bodies of errors, by code. */
    errors: byName,
    /** Messages of WebSockets, by the title of their schema. */
    messages: byName,
  }),
);
export type Examples = t.TypeOf<typeof Examples>;

export const NO_EXAMPLES: Examples = { operations: {}, errors: {}, messages: {} };

/** `value` under `name` if there is one. */
export const whereGiven = (name: string, value: Json | undefined): Readonly<Record<string, Json>> =>
  value === undefined ? {} : { [name]: value };
