/** The expectations of steps. A mismatch has a line for each wrong field: the field, the expected and the received value. */
import { isDeepStrictEqual } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { decode } from '../../src/codecs/index.js';

/** A failed expectation, a line for each wrong field. */
export class Mismatch extends Error {}

/**
 * The whole text about a failed step, for a reader without the code. It has no stack for Cucumber to parse: the time that its
 * parser takes grows with the fourth power of the quotes in a line.
 */
export class Failure extends Error {
  constructor(text: string, options?: ErrorOptions) {
    super(text, options);
    this.stack = '';
  }
}

type Lines = readonly string[];

/** A value that differs between runs: the expectation in words, and the lines about a wrong value. */
export class Matcher {
  constructor(
    readonly text: string,
    readonly differences: (field: string, received: unknown) => Lines,
  ) {}
}

const LONGEST = 300;
const MOST_LINES = 10;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** A value as JSON, with the words of matchers in it. */
export const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value instanceof Matcher) return value.text;
  if (value instanceof Set) return shown([...value]);
  return cut(
    JSON.stringify(value, (_, member: unknown) => (member instanceof Matcher ? `<${member.text}>` : member)),
  );
};

/** `"address", "name" and "rssi"` */
const listed = (names: readonly unknown[]): string => {
  const texts = names.map((name) => JSON.stringify(name));
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}`;
};

const prefix = (field: string): string => (field === '' ? '' : `${field}: `);

const difference = (field: string, expected: string, received: unknown): Lines => [
  `${prefix(field)}expected ${expected}, got ${shown(received)}`,
];

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Matcher);

const member = (field: string, key: string | number): string =>
  typeof key === 'number' ? `${field}[${key}]` : field === '' ? key : `${field}.${key}`;

const fieldDifferences = (field: string, received: Fields, expected: Fields, keys: Iterable<string>): Lines =>
  [...keys].flatMap((key) => differences(member(field, key), received[key], expected[key]));

/** A line for each field in which a value differs. */
export const differences = (field: string, received: unknown, expected: unknown): Lines => {
  if (expected instanceof Matcher) return expected.differences(field, received);
  if (Array.isArray(expected) && Array.isArray(received) && expected.length === received.length) {
    return received.flatMap((element, index) => differences(member(field, index), element, expected[index]));
  }
  if (isObject(expected) && isObject(received)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(received)]);
    return fieldDifferences(field, received, expected, keys);
  }
  return isDeepStrictEqual(received, expected) ? [] : difference(field, shown(expected), received);
};

/** Whether a value is as expected. */
export const fits = (received: unknown, expected: unknown): boolean =>
  differences('', received, expected).length === 0;

/** Throws a `Mismatch` if the value of a field is another. `expected`: a value, or a matcher, also as a part of the value. */
export const expect = (field: string, received: unknown, expected: unknown): void => {
  const lines = differences(field, received, expected);
  if (lines.length === 0) return;
  const more = lines.length - MOST_LINES;
  throw new Mismatch([...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
};

/** A value that `holds` is true of. */
export const that = (text: string, holds: (received: unknown) => boolean): Matcher =>
  new Matcher(text, (field, received) => (holds(received) ? [] : difference(field, text, received)));

export const not = (value: unknown): Matcher =>
  that(`not ${shown(value)}`, (received) => !fits(received, value));

export const oneOf = (values: readonly unknown[]): Matcher =>
  that(`one of ${listed(values)}`, (received) => values.some((value) => isDeepStrictEqual(received, value)));

export const numberFrom = (min: number, max: number): Matcher =>
  that(
    `a number from ${min} to ${max}`,
    (received) => typeof received === 'number' && received >= min && received <= max,
  );

export const integerFrom = (min: number, max: number): Matcher =>
  that(
    `an integer from ${min} to ${max}`,
    (received) => Number.isInteger(received) && Number(received) >= min && Number(received) <= max,
  );

/** A number that differs by less than `tolerance`. */
export const about = (number: number, tolerance: number): Matcher =>
  that(
    `about ${number}`,
    (received) => typeof received === 'number' && Math.abs(received - number) < tolerance,
  );

export const above = (limit: number): Matcher =>
  that(`a number above ${limit}`, (received) => typeof received === 'number' && received > limit);

export const anything = that('any value', (received) => received !== undefined);

export const anyInteger = that('an integer', Number.isInteger);

export const anyNumber = that('a number', (received) => typeof received === 'number');

export const anyText = that('a text', (received) => typeof received === 'string' && received !== '');

export const containing = (part: string): Matcher =>
  that(
    `a text that contains ${JSON.stringify(part)}`,
    (received) => typeof received === 'string' && received.includes(part),
  );

/** `text`: the pattern in words, such as `a time in UTC`. */
export const matching = (text: string, pattern: RegExp): Matcher =>
  that(text, (received) => typeof received === 'string' && pattern.test(received));

/** An object with these fields, and any others. */
export const fields = (expected: Fields): Matcher =>
  new Matcher(`an object with ${shown(expected)}`, (field, received) =>
    isObject(received)
      ? fieldDifferences(field, received, expected, Object.keys(expected))
      : difference(field, `an object with ${shown(expected)}`, received),
  );

/** An object with these fields, whatever their values, and any others. */
export const having = (...names: readonly string[]): Matcher =>
  fields(Object.fromEntries(names.map((name) => [name, anything])));

/** An object with exactly these fields, whatever their values. */
export const exactly = (names: readonly string[]): Matcher => {
  const text = `exactly the fields ${listed(names)}`;
  return new Matcher(text, (field, received) => {
    if (!isObject(received)) return difference(field, `an object with ${text}`, received);
    const missing = names.filter((name) => !(name in received));
    const more = Object.keys(received).filter((name) => !names.includes(name));
    return [
      ...missing.map((name) => `${member(field, name)}: expected, but missing`),
      ...more.map((name) => `${member(field, name)}: not expected, got ${shown(received[name])}`),
    ];
  });
};

/** A list of these elements in any order. */
export const inAnyOrder = (elements: readonly unknown[]): Matcher => {
  const text = `in any order ${shown(elements)}`;
  const sorted = (list: readonly unknown[]): readonly string[] => list.map((value) => shown(value)).sort();
  return that(
    text,
    (received) => Array.isArray(received) && isDeepStrictEqual(sorted(received), sorted(elements)),
  );
};

/** A list with this element, and any others. */
export const listWith = (element: unknown): Matcher =>
  that(
    `a list with ${shown(element)}`,
    (received) => Array.isArray(received) && received.some((one) => fits(one, element)),
  );

/** A list of `count` elements. */
export const listOf = (count: number): Matcher =>
  that(
    count === 0 ? 'an empty list' : `a list of ${count}`,
    (received) => Array.isArray(received) && received.length === count,
  );

/** Whether a value is in the form in which the codec writes it. */
const isWritten = (codec: t.Mixed, received: unknown): boolean => {
  const decoded = codec.decode(received);
  return E.isRight(decoded) && isDeepStrictEqual(codec.encode(decoded.right), received);
};

const errorsOf = (codec: t.Mixed, received: unknown): number => {
  const decoded = codec.decode(received);
  return E.isLeft(decoded) ? decoded.left.length : 0;
};

/** The member of a union with the fewest errors: one wrong field need not name all other members. */
const nearest = (codec: t.Mixed, received: unknown): t.Mixed => {
  if (!(codec instanceof t.UnionType)) return codec;
  const members = codec.types as readonly t.Mixed[];
  const counts = members.map((type) => errorsOf(type, received));
  return members[counts.indexOf(Math.min(...counts))] ?? codec;
};

/** A value of this codec, called `noun`; its first wrong field is in the line. */
export const formOf = (codec: t.Mixed, noun: string): Matcher =>
  new Matcher(noun, (field, received) => {
    if (codec.is(received) || isWritten(codec, received)) return [];
    const decoded = decode(nearest(codec, received), noun)(received);
    return E.isLeft(decoded)
      ? [`${prefix(field)}${decoded.left.message}`]
      : difference(field, noun, received);
  });
