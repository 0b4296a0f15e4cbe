import type * as t from 'io-ts';
import { named, object, text } from '../codecs/index.js';

/** The body of every error answer: a message for people, a code for programs, and what to look for in the log. */
export const ErrorBody = named(
  'Error',
  'Why it failed; `request_id` is in the log too',
  object({ error: text, code: text, request_id: text }),
);
export type ErrorBody = t.TypeOf<typeof ErrorBody>;
