/** Codecs of objects and arrays, made of codecs of their parts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { pathOf } from './decode.js';
import {
  described,
  merged,
  type AnyCodec,
  type Codec,
  type Described,
  type Fields,
  type JsonSchema,
} from './schema.js';
import { cut } from './shown.js';
import { oneOf } from './values.js';

const OBJECT = 'a JSON object';

type Side = keyof Described['schema'];

const ofBoth = (make: (side: Side) => JsonSchema): [input: JsonSchema, output: JsonSchema] => [
  make('input'),
  make('output'),
];

const propertiesOf = (fields: Fields, side: Side): JsonSchema =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema[side]]));

/** Whether `value` stands for a field of `codec` that is left out. */
const isLeftOut = (codec: t.Mixed, value: unknown): boolean =>
  value === undefined || (value === null && !codec.is(null));

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

/** Optional fields may be `null` too, in input. */
const optionalOf = (fields: Fields, side: Side): JsonSchema =>
  Object.fromEntries(
    Object.entries(fields).map(([name, codec]) => [
      name,
      side === 'input' && isLeftOut(codec, null) ? orNull(codec.schema.input) : codec.schema[side],
    ]),
  );

/** A field with a usual value may be left out of an input, and is in every answer. */
const isRequired = (side: Side, { schema }: AnyCodec): boolean =>
  side === 'output' || !('default' in schema.input);

const objectSchema = (required: Fields, optional: Fields, side: Side): JsonSchema => ({
  type: 'object',
  properties: { ...propertiesOf(required, side), ...optionalOf(optional, side) },
  required: Object.keys(required).filter((name) => {
    const field = required[name];
    return field !== undefined && isRequired(side, field);
  }),
});

export const nullable = <C extends AnyCodec>(codec: C): t.UnionC<[C, t.NullC]> & Described =>
  described(
    t.union([codec, t.null], `${codec.name} or null`),
    ...ofBoth((side) => orNull(codec.schema[side])),
  );

/** `name`: such as "an array of devices". */
export const array = <C extends AnyCodec>(codec: C, name: string): t.ReadonlyArrayC<C> & Described =>
  described(
    t.readonlyArray(codec, name),
    ...ofBoth((side) => ({ type: 'array', items: codec.schema[side] })),
  );

/** A value of one of several codecs: the first that accepts it. */
export const union = <C extends [AnyCodec, AnyCodec, ...AnyCodec[]]>(
  members: C,
  name: string,
): t.UnionC<C> & Described =>
  described(
    t.union(members, name),
    ...ofBoth((side) => ({ anyOf: members.map(({ schema }) => schema[side]) })),
  );

/** Two objects in one. */
export const both = <A extends AnyCodec, B extends AnyCodec>(
  first: A,
  second: B,
  name: string,
): t.IntersectionC<[A, B]> & Described =>
  described(
    t.intersection([first, second], name),
    ...ofBoth((side) => ({ allOf: [first.schema[side], second.schema[side]] })),
  );

/** An object with values of one codec under any names. */
export const textRecord = <C extends AnyCodec>(codec: C): t.RecordC<t.StringC, C> & Described =>
  described(
    t.record(t.string, codec, OBJECT),
    ...ofBoth((side) => ({ type: 'object', additionalProperties: codec.schema[side] })),
  );

/** Any object, as it is. */
export const anyObject = described(t.record(t.string, t.unknown, OBJECT), { type: 'object' });

/** An object with these fields; other fields are ignored. */
export const object = <R extends Fields>(required: R): t.TypeC<R> & Described =>
  described(t.type(required, OBJECT), ...ofBoth((side) => objectSchema(required, {}, side)));

const withoutLeftOut = (optional: Fields, value: unknown): unknown => {
  if (!t.UnknownRecord.is(value)) return value;
  const fields = Object.entries(value).filter(([name, field]) => {
    const codec = Object.hasOwn(optional, name) ? optional[name] : undefined;
    return codec === undefined || !isLeftOut(codec, field);
  });
  return Object.fromEntries(fields);
};

/** An object with these fields; `optional` ones may be missing, or `null` unless `null` is one of their values. */
export const objectWith = <R extends Fields, O extends Fields>(
  required: R,
  optional: O,
): t.IntersectionC<[t.TypeC<R>, t.PartialC<O>]> & Described => {
  const codec = t.intersection([t.type(required, OBJECT), t.partial(optional, OBJECT)], OBJECT);
  return described(
    new t.IntersectionType(
      codec.name,
      codec.is,
      (value, context) => codec.validate(withoutLeftOut(optional, value), context),
      codec.encode,
      codec.types,
    ),
    ...ofBoth((side) => objectSchema(required, optional, side)),
  );
};

/** The context for `inner` in a codec that only wraps it, so that paths are those of `inner`. */
const inPlaceOf = (context: t.Context, inner: t.Mixed): t.Context =>
  context.map((entry, index) => (index === context.length - 1 ? { ...entry, type: inner } : entry));

/**
 * An object with the fields of these names alone: in input that people write by hand, an unknown field is a slip.
 * `open` reads the same fields and ignores others.
 */
export class ClosedObject<A, O = unknown> extends t.Type<A, O> implements Described {
  readonly schema: Described['schema'];

  constructor(
    readonly fields: readonly string[],
    readonly open: Codec<A, O>,
  ) {
    super(
      open.name,
      (value) => open.is(value),
      (value, context) => {
        const unknownField = t.UnknownRecord.is(value)
          ? Object.keys(value).find((name) => !fields.includes(name))
          : undefined;
        if (unknownField === undefined) return open.validate(value, inPlaceOf(context, open));
        const path = [pathOf(context), cut(unknownField)].filter((part) => part !== '').join('.');
        const allowed = fields.length === 0 ? 'there are no fields' : `it may be ${fields.join(', ')}`;
        return t.failure(value, context, `${path} is unknown here: ${allowed}`);
      },
      (value) => open.encode(value),
    );
    const { input, output } = open.schema;
    this.schema = { input: { ...input, additionalProperties: false }, output };
  }
}

const isClosed = <A, O>(codec: t.Type<A, O>): codec is ClosedObject<A, O> => codec instanceof ClosedObject;

const NO_FIELDS = {};

/** Like `objectWith`, but refuses unknown fields. */
export const closedObject = <R extends Fields, O extends Fields = typeof NO_FIELDS>(
  required: R,
  optional: O = NO_FIELDS as O,
) => new ClosedObject([...Object.keys(required), ...Object.keys(optional)], objectWith(required, optional));

/** A field that may be missing, or `null` unless `null` is one of its values; then its value is `usual`. */
export const withDefault = <A, O>(codec: Codec<A, O>, usual: O & JsonSchema[string]): Codec<A, O> =>
  described(
    new t.Type<A, O>(
      codec.name,
      codec.is,
      (value, context) => codec.validate(isLeftOut(codec, value) ? usual : value, inPlaceOf(context, codec)),
      codec.encode,
    ),
    { ...(codec.is(null) ? codec.schema.input : orNull(codec.schema.input)), default: usual },
    codec.schema.output,
  );

type Check<A> = (value: A, path: string) => E.Either<string, unknown>;

/**
 * Adds a check of more than one field of the object at a path. Left: the whole message that a client reads. `schema` has the same check in JSON Schema,
 * as far as possible.
 */
export function checked<A, O>(
  codec: ClosedObject<A, O>,
  check: Check<A>,
  schema?: JsonSchema,
): ClosedObject<A, O>;
export function checked<A, O>(codec: Codec<A, O>, check: Check<A>, schema?: JsonSchema): Codec<A, O>;
export function checked<A, O>(codec: Codec<A, O>, check: Check<A>, schema: JsonSchema = {}): Codec<A, O> {
  if (isClosed(codec)) return new ClosedObject(codec.fields, checked(codec.open, check, schema));
  return described(
    new t.Type<A, O>(
      codec.name,
      (value): value is A => codec.is(value) && E.isRight(check(value, '')),
      (value, context) =>
        pipe(
          codec.validate(value, inPlaceOf(context, codec)),
          E.chain((decoded) =>
            pipe(
              check(decoded, pathOf(context)),
              E.fold(
                (problem) => t.failure(value, context, problem),
                () => t.success(decoded),
              ),
            ),
          ),
        ),
      codec.encode,
    ),
    { ...codec.schema.input, ...schema },
    codec.schema.output,
  );
}

const list = new Intl.ListFormat('en-GB');

/** Like `objectWith`, but at least one of the optional fields must be given. */
export const atLeastOne = <R extends Fields, O extends Fields>(required: R, optional: O) => {
  const codec = objectWith(required, optional);
  const names = Object.keys(optional);
  const given = (name: string): JsonSchema => ({
    required: [name],
    ...(optional[name]?.is(null) !== true && { properties: { [name]: { not: { type: 'null' } } } }),
  });
  return checked<t.TypeOf<typeof codec>, t.OutputOf<typeof codec>>(
    codec,
    (value, path) =>
      Object.entries(value).some(([name, field]) => Object.hasOwn(optional, name) && field !== undefined)
        ? E.right(value)
        : E.left(
            `${list.format(names)} are missing${path === '' ? '' : ` in ${path}`}: at least one of them must be given`,
          ),
    { anyOf: names.map(given) },
  );
};

/**
 * An object whose text field `field` is the name of one of `cases`; without the field, the name is `usual`, if there
 * is a usual case. Each case is the codec of the whole object with the field.
 */
export const tagged = <C extends Readonly<Record<string, AnyCodec>>>(
  field: string,
  cases: C,
  usual?: keyof C & string,
): Codec<t.TypeOf<C[keyof C]>, unknown> => {
  type A = t.TypeOf<C[keyof C]>;
  const names = { [field]: oneOf(Object.keys(cases)) };
  const tag = usual === undefined ? t.type(names, OBJECT) : objectWith({}, names);
  const caseOf = (value: unknown): AnyCodec | undefined => {
    const name = tag.is(value) ? (value[field] ?? usual) : undefined;
    return name === undefined ? undefined : cases[name];
  };
  return described(
    new t.Type<A, unknown>(
      OBJECT,
      (value): value is A => caseOf(value)?.is(value) === true,
      (value, context) =>
        pipe(
          tag.validate(value, inPlaceOf(context, tag)),
          E.chain((withTag): t.Validation<A> => {
            const codec = caseOf(withTag);
            return codec?.validate(value, inPlaceOf(context, codec)) ?? t.failure(value, context);
          }),
        ),
      (value): unknown => caseOf(value)?.encode(value),
    ),
    // The schema of a usual case does not need the field, so it does not exclude the other cases.
    ...ofBoth((side) => ({
      [usual === undefined ? 'oneOf' : 'anyOf']: Object.entries(cases).map(([name, { schema }]) =>
        usual === undefined || name === usual
          ? schema[side]
          : merged(schema[side], { properties: { [field]: { const: name } }, required: [field] }),
      ),
    })),
  );
};
