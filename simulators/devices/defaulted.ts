import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as codecs from '../../src/codecs/index.js';

/** A field for documents, with the value that it has if it is left out. */
export const defaulted = <A, O>(
  description: string,
  codec: codecs.Codec<A, O>,
  value: O & codecs.JsonSchema[string],
): codecs.Codec<A, O> => codecs.withDefault(codecs.about(description, codec), value);

/** The value of an object whose fields all have one if they are left out. */
export const usualOf = <A>(codec: codecs.Codec<A, unknown>): A =>
  pipe(
    codec.decode({}),
    E.getOrElse((): A => {
      throw new Error('a field has no usual value');
    }),
  );
