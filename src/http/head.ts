/** The heads of answers, made once for all answers that are alike. */
import { SECURITY_HEADERS } from './security-headers.js';

/** Names and values in turn, as Node writes them at once. */
export type Head = readonly string[];

type Fields = Readonly<Record<string, string>>;

/** Each of `tables` replaces what those before it say of the same header. */
const merged = (tables: readonly Fields[]): Fields => {
  const fields = new Map<string, readonly [string, string]>();
  for (const [name, value] of tables.flatMap(Object.entries<string>)) {
    fields.set(name.toLowerCase(), [name, value]);
  }
  return Object.fromEntries(fields.values());
};

export const headOf = (...tables: readonly Fields[]): Head => Object.entries(merged(tables)).flat();

/** What all answers say, but where a row says otherwise. */
export const COMMON: Fields = { ...SECURITY_HEADERS, 'Cache-Control': 'no-store' };

/** Texts are in UTF-8. */
export const typed = (mediaType: string): Fields => ({
  'Content-Type': /^text\/|^application\/json$/.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType,
});
