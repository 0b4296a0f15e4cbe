/** Building blocks of requests. Each codec's name is the end of "must be …" (see `decode`). */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { pathOf } from './decode.js';

const only = <A>(allowed: string, is: (value: unknown) => value is A): t.Type<A> =>
  new t.Type(
    allowed,
    is,
    (value, context) => (is(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  );

const isText = (value: unknown): value is string => typeof value === 'string';

export const text = only('a string', isText);

export const boolean = only('true or false', (value): value is boolean => typeof value === 'boolean');

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

export const anyInteger = only('a whole number', isInteger);

/** A whole number from `min` to `max`, both included, a multiple of `step` above `min`. */
export const integer = (min: number, max: number, step = 1): t.Type<number> =>
  only(
    step === 1 ? `a whole number from ${min} to ${max}` : `${min} to ${max} in steps of ${step}`,
    (value): value is number =>
      isInteger(value) && value >= min && value <= max && (value - min) % step === 0,
  );

/** Any number from `min` to `max`, both included. */
export const number = (min: number, max: number): t.Type<number> =>
  only(
    `a number from ${min} to ${max}`,
    (value): value is number => typeof value === 'number' && value >= min && value <= max,
  );

/** Exactly one of some texts. */
export const oneOf = <const A extends string>(values: readonly A[]): t.Type<A> =>
  only(values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or '), (value): value is A =>
    values.some((candidate) => candidate === value),
  );

/** A text that `pattern` matches, put into the one form the server uses by `normal`. */
export const matching = (
  allowed: string,
  pattern: RegExp,
  normal: (given: string) => string = t.identity,
): t.Type<string, string> =>
  new t.Type(
    allowed,
    isText,
    (value, context) =>
      isText(value) && pattern.test(value) ? t.success(normal(value)) : t.failure(value, context),
    t.identity,
  );

/** A device address, given in any case, upper case from then on. */
export const deviceAddress = matching(
  'six pairs of hex digits with colons, such as D1:CE:00:00:00:01',
  /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i,
  (given) => given.toUpperCase(),
);

/** A decimal number written as a text, as in a query; `min` to `max`, both included. */
export const numberInText = (min: number, max: number): t.Type<number, string> =>
  new t.Type(
    `a number from ${min} to ${max}`,
    (value): value is number => typeof value === 'number',
    (value, context) => {
      const given = isText(value) && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : NaN;
      return given >= min && given <= max ? t.success(given) : t.failure(value, context);
    },
    String,
  );

export const nullable = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> =>
  t.union([codec, t.null], `${codec.name} or null`);

const OBJECT = 'a JSON object';

/** An object with these fields; others are let through and ignored. */
export const object = <R extends t.Props>(required: R): t.TypeC<R> => t.type(required, OBJECT);

/** Whether `value` stands for a field of `codec` that is left out. */
const isLeftOut = (codec: t.Mixed, value: unknown): boolean =>
  value === undefined || (value === null && !codec.is(null));

const withoutLeftOut = (optional: t.Props, value: unknown): unknown => {
  if (!t.UnknownRecord.is(value)) return value;
  const given = Object.entries(value).filter(([name, field]) => {
    const codec = optional[name];
    return codec === undefined || !isLeftOut(codec, field);
  });
  return Object.fromEntries(given);
};

/** An object with these fields, of which some may be missing, or `null` where that is no value of theirs. */
export const objectWith = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
): t.IntersectionC<[t.TypeC<R>, t.PartialC<O>]> => {
  const codec = t.intersection([t.type(required, OBJECT), t.partial(optional, OBJECT)], OBJECT);
  return new t.IntersectionType(
    codec.name,
    codec.is,
    (value, context) => codec.validate(withoutLeftOut(optional, value), context),
    codec.encode,
    codec.types,
  );
};

/** The context for `inner` where a codec only stands before it, so that a path is read as `inner` left it. */
const inPlaceOf = (context: t.Context, inner: t.Mixed): t.Context =>
  context.map((entry, index) => (index === context.length - 1 ? { ...entry, type: inner } : entry));

/**
 * An object with the fields of these names; any other is refused, for what people write by hand, where it is a slip.
 * `open` reads the same fields and ignores others.
 */
export class ClosedObject<A, O = unknown> extends t.Type<A, O> {
  constructor(
    readonly fields: readonly string[],
    readonly open: t.Type<A, O>,
  ) {
    super(
      open.name,
      (value) => open.is(value),
      (value, context) => {
        const stray = t.UnknownRecord.is(value)
          ? Object.keys(value).find((name) => !fields.includes(name))
          : undefined;
        if (stray === undefined) return open.validate(value, inPlaceOf(context, open));
        const path = [pathOf(context), stray].filter((part) => part !== '').join('.');
        const known = fields.length === 0 ? 'there are no fields' : `it may be ${fields.join(', ')}`;
        return t.failure(value, context, `${path} is unknown here: ${known}`);
      },
      (value) => open.encode(value),
    );
  }
}

const isClosed = <A, O>(codec: t.Type<A, O>): codec is ClosedObject<A, O> => codec instanceof ClosedObject;

const NO_FIELDS = {};

/** As `objectWith`, but a field that it does not know is refused. */
export const closedObject = <R extends t.Props, O extends t.Props = typeof NO_FIELDS>(
  required: R,
  optional: O = NO_FIELDS as O,
) => new ClosedObject([...Object.keys(required), ...Object.keys(optional)], objectWith(required, optional));

/** A field that may be missing, or `null` where that is no value of it; it is read then as if `usual` had been written. */
export const withDefault = <A, O>(codec: t.Type<A, O>, usual: O): t.Type<A, O> =>
  new t.Type(
    codec.name,
    codec.is,
    (value, context) => codec.validate(isLeftOut(codec, value) ? usual : value, inPlaceOf(context, codec)),
    codec.encode,
  );

type Check<A> = (value: A) => E.Either<string, unknown>;

/** Adds a check of more than one field. Left: the whole sentence that a client reads. */
export function checked<A, O>(codec: ClosedObject<A, O>, check: Check<A>): ClosedObject<A, O>;
export function checked<A, O>(codec: t.Type<A, O>, check: Check<A>): t.Type<A, O>;
export function checked<A, O>(codec: t.Type<A, O>, check: Check<A>): t.Type<A, O> {
  if (isClosed(codec)) return new ClosedObject(codec.fields, checked(codec.open, check));
  return new t.Type(
    codec.name,
    (value): value is A => codec.is(value) && E.isRight(check(value)),
    (value, context) =>
      pipe(
        codec.validate(value, inPlaceOf(context, codec)),
        E.chain((decoded) =>
          pipe(
            check(decoded),
            E.fold(
              (broken) => t.failure(value, context, broken),
              () => t.success(decoded),
            ),
          ),
        ),
      ),
    codec.encode,
  );
}

type Rule<A> = (value: A) => boolean;

/** Adds a rule about more than one field; `broken` is the whole sentence that a client reads. */
export function withRule<A, O>(codec: ClosedObject<A, O>, holds: Rule<A>, broken: string): ClosedObject<A, O>;
export function withRule<A, O>(codec: t.Type<A, O>, holds: Rule<A>, broken: string): t.Type<A, O>;
export function withRule<A, O>(codec: t.Type<A, O>, holds: Rule<A>, broken: string): t.Type<A, O> {
  return checked(
    codec,
    E.fromPredicate(holds, () => broken),
  );
}

/**
 * An object whose text field `field` says which of `cases` the rest must be; without it, it is the `usual` one if there
 * is one. Each case is the codec of the whole object, the field included.
 */
export const tagged = <C extends Readonly<Record<string, t.Mixed>>>(
  field: string,
  cases: C,
  usual?: keyof C & string,
): t.Type<t.TypeOf<C[keyof C]>, unknown> => {
  type A = t.TypeOf<C[keyof C]>;
  const names = { [field]: oneOf(Object.keys(cases)) };
  const tag = usual === undefined ? t.type(names, OBJECT) : objectWith({}, names);
  const caseOf = (value: unknown): t.Mixed | undefined => {
    const name = tag.is(value) ? (value[field] ?? usual) : undefined;
    return name === undefined ? undefined : cases[name];
  };
  return new t.Type<A, unknown>(
    OBJECT,
    (value): value is A => caseOf(value)?.is(value) === true,
    (value, context) =>
      pipe(
        tag.validate(value, inPlaceOf(context, tag)),
        E.chain((given): t.Validation<A> => {
          const found = caseOf(given);
          return found?.validate(value, inPlaceOf(context, found)) ?? t.failure(value, context);
        }),
      ),
    (value): unknown => caseOf(value)?.encode(value),
  );
};
