/**
 * Makes a value or one message about an error from any input of a client. A codec's `name` is the end of "must be …", so a
 * message names the field, the allowed values and the given value.
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { parseError, type ParseError } from './parse-error.js';
import type { Fields } from './schema.js';
import { rememberDigits, shownIn } from './shown.js';

/** `devices[2].address`: without the members of an intersection, which clients do not see. */
export const pathOf = (context: t.Context): string =>
  context
    .slice(1)
    .filter((_, index) => !(context[index]?.type instanceof t.IntersectionType))
    .map(({ key }, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join('');

/** The context up to the first union, whose members are each only one of the allowed values. */
const untilUnion = (context: t.Context): t.Context => {
  const union = context.findIndex(({ type }) => type instanceof t.UnionType);
  return union === -1 ? context : context.slice(0, union + 1);
};

const message = (whole: string, error: t.ValidationError): string => {
  if (error.message !== undefined) return error.message;
  const context = untilUnion(error.context);
  const last = context.at(-1);
  const path = pathOf(context);
  const allowed = last?.type.name ?? 'something else';
  const field = path === '' ? whole : path;
  return last?.actual === undefined
    ? `${field} is missing: it must be ${allowed}`
    : `${field} must be ${allowed}, got ${shownIn(context)}`;
};

const parsed = <A>(
  whole: string,
  { name }: t.Decoder<unknown, A>,
): ((validation: t.Validation<A>) => E.Either<ParseError, A>) =>
  E.mapLeft(([first]) =>
    parseError(first === undefined ? `${whole} must be ${name}` : message(whole, first)),
  );

/**
 * Decodes the input of a client; `whole` is its name in messages ("the body").
 * Left: a ParseError about the first field that is wrong.
 */
export const decode =
  <A>(codec: t.Decoder<unknown, A>, whole: string) =>
  (value: unknown): E.Either<ParseError, A> =>
    pipe(codec.decode(value), parsed(whole, codec));

/** Decodes the value of a field; messages begin with the name of the field. */
export const decodeField =
  <A>(name: string, codec: t.Decoder<unknown, A>) =>
  (value: unknown): E.Either<ParseError, A> =>
    pipe(
      codec.validate(value, [
        { key: '', type: t.unknown },
        { key: name, type: codec, actual: value },
      ]),
      parsed(name, codec),
    );

/** The JSON value in a text; `whole` is its name in messages. Left: `invalid_json`. */
export const parseJson = (text: string, whole: string): E.Either<ParseError, Json> =>
  pipe(
    J.parse(text),
    E.bimap(
      (thrown) =>
        parseError(
          `${whole} is not valid JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}`,
          'invalid_json',
        ),
      (value) => {
        rememberDigits(value, text);
        return value;
      },
    ),
  );

/** The query of a request target, whatever its form. */
export const queryOf = (url: string): URLSearchParams => {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
};

/** The `fields` of a query: all values of an array, the first value of any other field. */
export const queryFields = (fields: Fields, query: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => query.has(name))
      .map(([name, { schema }]) => [
        name,
        schema.input['type'] === 'array' ? query.getAll(name) : query.get(name),
      ]),
  );
