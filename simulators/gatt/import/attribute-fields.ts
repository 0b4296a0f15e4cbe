/** Attributes as they are written in a file. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';

/** A value as a person reads it best. */
export const valueField = (bytes: Buffer): string | JsonRecord => {
  const text = bytes.toString('utf8');
  return /^[\x20-\x7e]{2,}$/.test(text) ? { text } : bytes.toString('hex');
};

/** An id for each characteristic: its UUID, with a number if there are several of it. */
export const distinctIds = (uuids: readonly string[]): readonly string[] =>
  uuids.map((uuid, at) => {
    const count = uuids.slice(0, at).filter((other) => other === uuid).length;
    return count === 0 ? uuid : `${uuid}-${count + 1}`;
  });
