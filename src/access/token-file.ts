/** A file of tokens, read again whenever it changes. */
import { unwatchFile, watchFile } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { readRegularFile } from '../system/files.js';
import { systemReason } from '../system/system-error.js';
import type { Token } from './access.js';
import { parseTokens } from './tokens.js';

/** How often the file is looked at, ms: unlike a notification of the system, this works on every file system. */
const INTERVAL_MS = 1_000;

/** Of the mode of a file: everybody may read or write it. */
const BY_OTHERS = 0o006;

const readPrivately = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () =>
      readRegularFile(path, ({ mode }) => {
        if (process.platform !== 'win32' && (mode & BY_OTHERS) !== 0)
          throw new Error(`other users can read or change it: chmod 640 ${path}`);
      }).toString('utf8'),
    (thrown) => `it cannot be used: ${systemReason(thrown)}`,
  );

/** The tokens in a file. Left is the end of a message about it, and has no token in it. */
export const readTokenFile = (path: string): E.Either<string, readonly Token[]> =>
  pipe(readPrivately(path), E.chain(parseTokens));

/** Calls back after each change of the file; the returned function ends it. */
export const watchTokenFile = (path: string, changed: () => void): (() => void) => {
  watchFile(path, { interval: INTERVAL_MS, persistent: false }, changed);
  return () => unwatchFile(path, changed);
};
