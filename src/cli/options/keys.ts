/** Encryption keys of proxies: one for all, or one for each host. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { readKey } from '../../protocols/esphome/noise.js';
import { decode } from '../../codecs/index.js';
import { readBytes } from '../../system/files.js';

/** The key of a host; `*` stands for all others. */
export type Keys = ReadonlyMap<string, Buffer>;

const ANY = '*';

export const NO_KEYS: Keys = new Map();

export const keyOf = (keys: Keys, host: string): Buffer | undefined =>
  keys.get(host.toLowerCase()) ?? keys.get(ANY);

const readEntries = (entries: readonly (readonly [string, string])[]): E.Either<string, Keys> =>
  pipe(
    entries,
    E.traverseArray(([host, text]) =>
      pipe(
        readKey(text),
        E.bimap(
          (reason) => (host === ANY ? reason : `the key of ${host}: ${reason}`),
          (key) => [host.toLowerCase(), key] as const,
        ),
      ),
    ),
    E.map((read) => new Map(read)),
  );

/** A key for all hosts, or a JSON object of keys by host. Left: a message without a key in it. */
export const readKeys = (text: string): E.Either<string, Keys> =>
  text.trimStart().startsWith('{')
    ? pipe(
        E.tryCatch(
          (): unknown => JSON.parse(text),
          () => 'it is not valid JSON',
        ),
        E.chain((json) =>
          pipe(
            json,
            decode(t.record(t.string, t.string), 'it'),
            E.mapLeft(() => 'it must be a JSON object of keys by host: {"kitchen.local": "…"}'),
          ),
        ),
        E.chain((keys) => readEntries(Object.entries(keys))),
      )
    : readEntries([[ANY, text]]);

export const readKeyFile = (path: string): E.Either<string, Keys> =>
  pipe(
    readBytes(path),
    E.chain((bytes) => readKeys(bytes.toString('utf8'))),
    E.mapLeft((reason) => `${path}: ${reason}`),
  );

/** The key of `host` in a file, which must have one. */
export const readKeyOf = (path: string, host: string): E.Either<string, Buffer> =>
  pipe(
    readKeyFile(path),
    E.chain((keys) => E.fromNullable(`${path}: it has no key for ${host}`)(keyOf(keys, host))),
  );
