/** Input in messages: in the sent form, but cut. */
import type { Json } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';

/** The most characters of a value in a message. */
export const SHOWN_CHARACTERS = 60;

/** The most levels of a value in a message: more than these characters can show, and far below the limit of the stack. */
const SHOWN_LEVELS = 100;

/** A text that others wrote, as messages show it; half of a surrogate pair is never left at the end. */
export const cut = (text: string): string =>
  text.length > SHOWN_CHARACTERS
    ? `${text.slice(0, SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
    : text;

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

const escaped = (units: string): string =>
  [...Array(units.length).keys()]
    .map((index) => `\\u${units.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');

/** JSON in which invisible characters are escaped. */
const visibly = (json: string): string => json.replace(/[\p{Cf}\p{Cn}\u2028\u2029]/gu, escaped);

/** A value in a message. Versions of Node differ in the depth that `JSON.stringify` can write, so the depth is checked first. */
export const shown = (value: unknown): string => {
  if (isDeeperThan(SHOWN_LEVELS, value)) return 'something nested too deeply';
  return cut(typeof value === 'number' ? String(value) : visibly(JSON.stringify(value)));
};

/** The members of objects and arrays by their keys, with numbers as the text that was sent. */
const sentMembers = new WeakMap<object, ReadonlyMap<string, unknown>>();

const isInexact = (value: unknown): boolean =>
  typeof value === 'number' &&
  (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)));

/** A text with a number of 16 digits or more, or with an exponent: other numbers have their digits from JavaScript. */
const MAY_BE_INEXACT = /(?:^|"\s*:|[[,])\s*-?[\d.]*(?:\d{16}|\de)/i;

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const withNumbersAsText = (json: string): unknown =>
  JSON.parse(json.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)));

/** `sent` has the shape of `value`. */
const remember = (value: unknown, sent: unknown, levels: number): void => {
  if (typeof value !== 'object' || value === null || levels === 0) return;
  const members = new Map<string, unknown>(Object.entries(sent as object));
  sentMembers.set(value, members);
  for (const [key, member] of Object.entries(value)) remember(member, members.get(key), levels - 1);
};

/** Remembers the digits of numbers in `json` that `value` has lost: 2^53 + 1 or 1E400. */
export const rememberDigits = (value: Json, json: string): void => {
  if (MAY_BE_INEXACT.test(json)) remember(value, withNumbersAsText(json), SHOWN_LEVELS);
};

/** The value that a validation failed on, as messages show it. */
export const shownIn = (context: t.Context): string => {
  const last = context.at(-1);
  if (!isInexact(last?.actual)) return shown(last?.actual);
  const digits = context
    .map(({ actual }) => sentMembers.get(actual as object)?.get(last?.key ?? ''))
    .findLast((sent) => typeof sent === 'string');
  return digits === undefined ? shown(last?.actual) : cut(digits);
};
