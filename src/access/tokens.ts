/** Reads tokens from a variable or from a file, and watches the file. */
import { unwatchFile, watchFile } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { array, decode, matching, object, oneOf, parseJson } from '../codecs/index.js';
import { readRegularFile } from '../system/files.js';
import { systemReason } from '../system/system-error.js';
import type { Token } from './access.js';

/** The characters that bearer tokens and WebSocket subprotocols have in common (RFC 6750, RFC 9110). */
const token = matching('16 to 256 letters, digits or -._~', /^[A-Za-z0-9._~-]{16,256}$/);
const name = matching('1 to 64 letters, digits, spaces or -._@', /^[\w.@ -]{1,64}$/);

const Tokens = array(object({ name, token, scope: oneOf(['full', 'read']) }), 'a JSON array of tokens');

const twice = (texts: readonly string[]): number => {
  const seen = new Set<string>();
  return texts.findIndex((text) => seen.size === seen.add(text).size);
};

const distinct = (tokens: readonly Token[]): E.Either<string, readonly Token[]> => {
  const named = twice(tokens.map((entry) => entry.name));
  if (named >= 0) return E.left(`[${named}].name is that of another token`);
  const same = twice(tokens.map((entry) => entry.token));
  if (same >= 0) return E.left(`[${same}].token is that of another name`);
  return tokens.length === 0 ? E.left('it must hold at least one token') : E.right(tokens);
};

/** Left names the wrong field, and never its value, which may be most of a token. */
export const parseTokens = (text: string): E.Either<string, readonly Token[]> =>
  pipe(
    parseJson(text, 'it'),
    E.mapLeft(() => 'it is not valid JSON'),
    E.chain((json) =>
      pipe(
        decode(Tokens, 'it')(json),
        E.mapLeft(({ message }) => message.replace(/, got .*$/s, '')),
      ),
    ),
    E.chain(distinct),
  );

/** The token `secret` from a variable, with all rights. */
export const singleToken = (variable: string, secret: string): E.Either<string, Token> =>
  E.isRight(token.decode(secret))
    ? E.right({ name: variable, scope: 'full', token: secret })
    : E.left(`${variable} must be ${token.name}`);

/** The interval of checks of the file, ms: unlike notifications of the system, checks work on every file system. */
const INTERVAL_MS = 1_000;

/** The mode bits for reading and writing by other users. */
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

/** The tokens in a file. Left: the end of a message about the file, without any token. */
export const readTokenFile = (path: string): E.Either<string, readonly Token[]> =>
  pipe(readPrivately(path), E.chain(parseTokens));

/** Calls `changed` after each change of the file, until the returned function is called. */
export const watchTokenFile = (path: string, changed: () => void): (() => void) => {
  watchFile(path, { interval: INTERVAL_MS, persistent: false }, changed);
  return () => unwatchFile(path, changed);
};
