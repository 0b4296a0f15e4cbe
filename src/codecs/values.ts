/** Codecs of single values. Each codec's name is the end of "must be …" (see `decode`). */
import type { Json } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { described, type Codec, type JsonSchema } from './schema.js';

const only = <A>(allowed: string, is: (value: unknown) => value is A, schema: JsonSchema): Codec<A> =>
  described(
    new t.Type<A>(
      allowed,
      is,
      (value, context) => (is(value) ? t.success(value) : t.failure(value, context)),
      t.identity,
    ),
    schema,
  );

const isText = (value: unknown): value is string => typeof value === 'string';

export const text = only('a string', isText, { type: 'string' });

export const boolean = only('true or false', (value): value is boolean => typeof value === 'boolean', {
  type: 'boolean',
});

/** Exactly one value. */
export const literal = <const A extends string | boolean | null>(value: A): Codec<A> =>
  only(JSON.stringify(value), (candidate): candidate is A => candidate === value, { const: value });

/** Any JSON value. */
export const anything = only('any JSON value', (_value): _value is unknown => true, {});

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

export const anyInteger = only(`a whole number within ±${Number.MAX_SAFE_INTEGER}`, isInteger, {
  type: 'integer',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});

/** A whole number from `min` to `max`, both included, in steps of `step`, of which `min` must be a multiple. */
export const integer = (min: number, max: number, step = 1): Codec<number> =>
  only(
    step === 1 ? `a whole number from ${min} to ${max}` : `${min} to ${max} in steps of ${step}`,
    (value): value is number => isInteger(value) && value >= min && value <= max && value % step === 0,
    { type: 'integer', minimum: min, maximum: max, ...(step === 1 ? {} : { multipleOf: step }) },
  );

/** Any number from `min` to `max`, both included. */
export const number = (min: number, max: number): Codec<number> =>
  only(
    `a number from ${min} to ${max}`,
    (value): value is number => typeof value === 'number' && value >= min && value <= max,
    { type: 'number', minimum: min, maximum: max },
  );

/** Exactly one of some texts. */
export const oneOf = <const A extends string>(values: readonly A[]): Codec<A> =>
  only(
    values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or '),
    (value): value is A => values.some((candidate) => candidate === value),
    { type: 'string', enum: values },
  );

/**
 * A text that `pattern` matches, in the form that `normal` gives it. The pattern has no flags, since a
 * schema cannot express them.
 */
export const matching = (
  allowed: string,
  pattern: RegExp,
  normal: (matched: string) => string = t.identity,
): Codec<string> => {
  if (pattern.flags !== '')
    throw new Error(`a pattern of a codec must have no flags, got ${String(pattern)}`);
  return described(
    new t.Type<string, string>(
      allowed,
      isText,
      (value, context) =>
        isText(value) && pattern.test(value) ? t.success(normal(value)) : t.failure(value, context),
      t.identity,
    ),
    { type: 'string', pattern: pattern.source },
  );
};

/** The source of a pattern for `plain`, a text without special characters, in any case. */
export const anyCase = (plain: string): string =>
  plain.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

const ADDRESS = { title: 'Address', description: 'The Bluetooth address of the device', type: 'string' };

/** A device address in any case, which becomes upper case. */
export const deviceAddress = described(
  matching(
    'six pairs of hex digits with colons, such as D1:CE:00:00:00:01',
    /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/,
    (matched) => matched.toUpperCase(),
  ),
  { ...ADDRESS, pattern: '^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$' },
  { ...ADDRESS, pattern: '^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$' },
);

/** The input of `number`, written as a text that `pattern` matches. */
const inText = (number: Codec<number>, pattern: RegExp): Codec<number, string> =>
  described(
    new t.Type<number, string>(
      number.name,
      number.is,
      (value, context) => {
        const parsed = isText(value) && pattern.test(value) ? Number(value) : NaN;
        return number.is(parsed) ? t.success(parsed) : t.failure(value, context);
      },
      String,
    ),
    number.schema.input,
  );

/** A decimal number written as a text, as in a query; `min` to `max`, both included. */
export const numberInText = (min: number, max: number): Codec<number, string> =>
  inText(number(min, max), /^\d+(?:\.\d+)?$/);

/** A whole number written as a text. */
export const integerInText = (min: number, max: number): Codec<number, string> =>
  inText(integer(min, max), /^\d+$/);

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+ -]\d{2}:?\d{2})$/;

/** `Date` would take 30 February for 2 March. */
const dayExists = (value: string): boolean =>
  new Date(`${value.slice(0, 10)}T00:00Z`).getUTCDate() === Number(value.slice(8, 10));

/** An instant in a query, in which an unescaped `+` arrives as a space. */
export const instantInText: Codec<Date, string> = described(
  new t.Type<Date, string>(
    'a time of ISO 8601 with an offset, such as 2026-11-26T19:30:00+01:00',
    (value): value is Date => value instanceof Date,
    (value, context) => {
      const isInstant = isText(value) && INSTANT.test(value) && dayExists(value);
      const date = new Date(isInstant ? value.replace(' ', '+') : NaN);
      return Number.isNaN(date.getTime()) ? t.failure(value, context) : t.success(date);
    },
    (date) => date.toISOString(),
  ),
  { type: 'string', format: 'date-time' },
);

/** Characters that move or hide the text around them, controls, line separators and marks of direction, and halves of pairs. */
const REFUSED = /[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** An assigned character that people see: not a space, format, tag, filler or blank pattern. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A text of one line that people gave, without spaces around it; `max`: its most characters. */
export const line = (max: number): Codec<string> =>
  described(
    new t.Type<string, string>(
      `one line of 1 to ${max} characters of well-formed Unicode, with a visible one`,
      isText,
      (value, context) => {
        const trimmed = isText(value) ? value.trim() : '';
        const { length } = Array.from(trimmed);
        return length <= max && VISIBLE.test(trimmed) && !REFUSED.test(trimmed)
          ? t.success(trimmed)
          : t.failure(value, context);
      },
      t.identity,
    ),
    { type: 'string', minLength: 1, maxLength: max },
  );

/** Bytes of a media type other than JSON. */
export const bytes = (mediaType: string): Codec<Buffer> =>
  only(`bytes of ${mediaType}`, (value): value is Buffer => Buffer.isBuffer(value), {
    contentMediaType: mediaType,
  });

/** Any JSON value that other code reads or makes; `schema` describes the value. */
export const json = (schema: JsonSchema = {}): Codec<Json> =>
  only('any JSON value', (_value): _value is Json => true, schema);
