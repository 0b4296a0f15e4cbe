/** Fields of start states, actions and behaviours that several kinds of device have. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as codecs from '../../src/codecs/index.js';

/** A documented field with a default value. */
export const defaulted = <A, O>(
  description: string,
  codec: codecs.Codec<A, O>,
  value: O & codecs.JsonSchema[string],
): codecs.Codec<A, O> => codecs.withDefault(codecs.about(description, codec), value);

/** The value of an object whose fields all have a default. */
export const usualOf = <A>(codec: codecs.Codec<A, unknown>): A =>
  pipe(
    codec.decode({}),
    E.getOrElse((): A => {
      throw new Error('a field has no usual value');
    }),
  );

/** An hour: longer than any test waits. */
const MAX_MS = 3_600_000;

export const milliseconds = (least = 0): codecs.Codec<number> => codecs.integer(least, MAX_MS);

export const level = codecs.about('Per cent', codecs.integer(0, 100));

export const printable = (most: number): codecs.Codec<string> =>
  codecs.matching(
    `a text of at most ${most} printable ASCII characters`,
    new RegExp(`^[\\x20-\\x7e]{0,${most}}$`),
  );

export const notification = (most: number): codecs.Codec<string> =>
  codecs.about(
    'The bytes, hex',
    codecs.matching(
      `an even number of hex digits, at most ${2 * most}`,
      new RegExp(`^(?:[0-9a-fA-F]{2}){0,${most}}$`),
    ),
  );
