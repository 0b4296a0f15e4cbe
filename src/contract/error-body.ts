import type * as t from 'io-ts';
import { about, named, object, text, type AnyCodec } from '../codecs/index.js';

/** The fields of every error answer; `codes`: the codec of its codes. */
export const errorFields = <C extends AnyCodec>(codes: C) => ({
  error: about('A message for people', text),
  code: about('What programs go by', codes),
  request_id: about('The lines of the log about this request have it too', text),
});

/** The body of every error answer. */
export const ErrorBody = named('Error', 'Why it failed', object(errorFields(text)));
export type ErrorBody = t.TypeOf<typeof ErrorBody>;
