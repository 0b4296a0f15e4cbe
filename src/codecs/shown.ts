/** Input in messages: as it was sent, cut. */
import type { Json } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';

/** The most characters of a given value in a message. */
export const SHOWN_CHARACTERS = 60;

/** Deeper than anything whose start could be recognised in as many characters; far from what ends the stack. */
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

/** How deep something may be nested to be written down at all differs from Node to Node, so it is not left to that. */
export const shown = (value: unknown): string => {
  if (isDeeperThan(SHOWN_LEVELS, value)) return 'something nested too deeply';
  return cut(typeof value === 'number' ? String(value) : JSON.stringify(value));
};

/** The values as they were sent, by the objects and arrays that they stand in and their keys. */
const sentTexts = new WeakMap<object, ReadonlyMap<string, string>>();

const isInexact = (value: unknown): boolean =>
  typeof value === 'number' &&
  (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)));

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const withNumbersAsText = (json: string): unknown =>
  JSON.parse(json.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)));

const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

const holdsInexact = (value: unknown, levels = SHOWN_LEVELS): boolean =>
  isInexact(value) || (levels > 0 && membersOf(value).some(([, member]) => holdsInexact(member, levels - 1)));

const remember = (value: unknown, sent: unknown, levels = SHOWN_LEVELS): void => {
  if (typeof value !== 'object' || value === null || levels === 0) return;
  const members = membersOf(sent);
  sentTexts.set(
    value,
    new Map(members.filter((member): member is [string, string] => typeof member[1] === 'string')),
  );
  const sentMembers = new Map(members);
  for (const [key, member] of membersOf(value)) remember(member, sentMembers.get(key), levels - 1);
};

/** Remembers the digits of numbers in `json` that its value does not have: 2^53 + 1 or 1E400. */
export const rememberDigits = (value: Json, json: string): void => {
  if (holdsInexact(value)) remember(value, withNumbersAsText(json));
};

/** The value that a validation failed on, as messages show it. */
export const shownIn = (context: t.Context): string => {
  const last = context.at(-1);
  const [digits] = isInexact(last?.actual)
    ? context.flatMap(({ actual }) => {
        const sent = typeof actual === 'object' && actual !== null ? sentTexts.get(actual) : undefined;
        return sent?.get(last?.key ?? '') ?? [];
      })
    : [];
  return digits === undefined ? shown(last?.actual) : cut(digits);
};
