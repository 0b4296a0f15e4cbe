/** Files that people name, and the sentence about one that cannot be read. */
import { readFileSync, statSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import { systemReason } from './system.js';

/** A whole file. Left: `it cannot be read: …`. */
export const readBytes = (path: string): E.Either<string, Buffer> =>
  E.tryCatch(
    () => readFileSync(path),
    (thrown) => `it cannot be read: ${systemReason(thrown)}`,
  );

/** Whether two paths lead to one file; false where either cannot be looked at. */
export const isSameFile = (one: string, other: string): boolean => {
  try {
    const [a, b] = [statSync(one), statSync(other)];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
};

/** The JSON value in a text. Left: `it is not valid JSON: …`. */
export const parseJson = (text: string): E.Either<string, J.Json> =>
  pipe(
    J.parse(text),
    E.mapLeft((thrown) => `it is not valid JSON: ${systemReason(thrown)}`),
  );

/** The JSON value in a file of UTF-8 text. Left: `it cannot be read: …` or `it is not valid JSON: …`. */
export const readJson = (path: string): E.Either<string, J.Json> =>
  pipe(
    readBytes(path),
    E.chain((bytes) => parseJson(bytes.toString('utf8'))),
  );
