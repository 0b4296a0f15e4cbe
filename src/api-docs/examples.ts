/** Messages that were really sent and answered, as documents show them. */
import type { Json } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { json } from '../codecs/index.js';

const byName = t.readonly(t.record(t.string, json()));

export const Examples = t.readonly(
  t.type({
    /** By the id of the operation. */
    operations: t.readonly(
      t.record(
        t.string,
        t.readonly(
          t.intersection([
            /** By status and code: `404 session_not_found`, or `200 ok`. */
            t.type({ answers: byName }),
            /** A body, and parameters of path and query by name. */
            t.partial({ request: json(), parameters: byName }),
          ]),
        ),
      ),
    ),
    /** Messages of WebSockets, by the title of their schema. */
    messages: byName,
  }),
);
export type Examples = t.TypeOf<typeof Examples>;
export type OperationExamples = Examples['operations'][string];

export const NO_EXAMPLES: Examples = { operations: {}, messages: {} };

/** `value` under `name` if there is one. */
export const whereGiven = (name: string, value: Json | undefined): Readonly<Record<string, Json>> =>
  value === undefined ? {} : { [name]: value };
