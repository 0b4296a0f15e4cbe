/** Codecs for values that people write in more than one form. */
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import * as codecs from '../../../../src/codecs/index.js';
import { pathOf } from '../../../../src/codecs/decode.js';

type Codec<A> = codecs.Codec<A, unknown>;

/** Validates by another codec in place of the current one, so that a message has the path and the rule of the other. */
const as = <A>(codec: t.Type<A, unknown>, value: unknown, context: t.Context): t.Validation<A> =>
  codec.validate(
    value,
    context.map((entry, at) => (at === context.length - 1 ? { ...entry, type: codec } : entry)),
  );

/** Chooses a codec by the form of the value: unlike those of a union, its messages concern the chosen codec alone. */
const byForm = <A>(
  name: string,
  choose: (value: unknown) => Codec<A>,
  schemas: codecs.JsonSchema[],
): Codec<A> =>
  codecs.described(
    new t.Type<A, unknown>(
      name,
      (value): value is A => choose(value).is(value),
      (value, context) => as(choose(value), value, context),
      (value) => value,
    ),
    { anyOf: schemas },
  );

export const plainOr = <A, B>(
  plain: codecs.Codec<A, unknown>,
  object: codecs.Codec<B, unknown>,
): Codec<A | B> =>
  byForm<A | B>(
    `${plain.name}, or an object`,
    (value) => (t.UnknownRecord.is(value) ? object : plain) as Codec<A | B>,
    [plain.schema.input, object.schema.input],
  );

/** A list, or its only member without brackets. */
export const oneOrMore = <C extends codecs.AnyCodec>(
  codec: C,
  name: string,
): Codec<readonly t.TypeOf<C>[]> => {
  type A = t.TypeOf<C>;
  const list: Codec<readonly A[]> = codecs.array(codec, name);
  const single = new t.Type<readonly A[], unknown>(
    codec.name,
    list.is,
    (value, context) => {
      return E.map((member: A): readonly A[] => [member])(as(codec as t.Type<A, unknown>, value, context));
    },
    (value) => value,
  );
  return byForm<readonly A[]>(
    name,
    (value) => (Array.isArray(value) ? list : codecs.described(single, codec.schema.input)),
    [codec.schema.input, list.schema.input],
  );
};

/** A text that stands for a value, or the value in full. */
export const textOr = <A>(
  text: codecs.Codec<string, unknown>,
  meaning: (text: string) => A,
  full: Codec<A>,
): Codec<A> => {
  const short = codecs.described(
    new t.Type<A, unknown>(
      text.name,
      full.is,
      (value, context) => E.map(meaning)(as(text as t.Type<string, unknown>, value, context)),
      t.identity,
    ),
    text.schema.input,
  );
  return byForm(full.name, (value) => (typeof value === 'string' ? short : full), [
    text.schema.input,
    full.schema.input,
  ]);
};

export const exactlyOne = <F extends codecs.Fields>(
  fields: F,
): Codec<{ readonly [K in keyof F]?: t.TypeOf<F[K]> }> => {
  const object = codecs.closedObject({}, fields);
  const names = Object.keys(fields);
  return codecs.described(
    new t.Type<{ readonly [K in keyof F]?: t.TypeOf<F[K]> }, unknown>(
      `an object with one of ${names.join(', ')}`,
      (value): value is { readonly [K in keyof F]?: t.TypeOf<F[K]> } => object.is(value),
      (value, context) => {
        const fieldNames = t.UnknownRecord.is(value) ? Object.keys(value) : undefined;
        if (fieldNames === undefined) return t.failure(value, context);
        const unknown = fieldNames.some((name) => !names.includes(name));
        if (!unknown && fieldNames.length !== 1) {
          return t.failure(
            value,
            context,
            `${pathOf(context)} must have exactly one of ${names.join(', ')}, got ${fieldNames.length === 0 ? 'none' : fieldNames.join(' and ')}`,
          );
        }
        return as(object as t.Type<{ readonly [K in keyof F]?: t.TypeOf<F[K]> }, unknown>, value, context);
      },
      (value) => value,
    ),
    { ...object.schema.input, minProperties: 1, maxProperties: 1 },
  );
};

/** Adds a check whose message begins with the path of the value, such as "is too long". */
export const checkedHere = <A, O>(
  codec: codecs.Codec<A, O>,
  check: (value: A) => string | undefined,
): codecs.Codec<A, O> =>
  codecs.described(
    new t.Type<A, O>(
      codec.name,
      (value): value is A => codec.is(value),
      (value, context) => {
        const validated = as(codec as t.Type<A, unknown>, value, context);
        if (validated._tag === 'Left') return validated;
        const problem = check(validated.right);
        const path = pathOf(context);
        return problem === undefined
          ? validated
          : t.failure(value, context, `${path === '' ? 'the device' : path} ${problem}`);
      },
      (value) => codec.encode(value),
    ),
    codec.schema.input,
    codec.schema.output,
  );
