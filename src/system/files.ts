/** Files and folders that people name, and messages about unusable ones. */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { parseJson } from '../codecs/index.js';
import { systemReason } from './system-error.js';

/** The most bytes of a file of settings. */
const MAX_BYTES = 1024 * 1024;

/** Opens a FIFO without waiting for its other end; Windows has no such flag. */
const READ_AT_ONCE = constants.O_RDONLY | ((constants as { readonly O_NONBLOCK?: number }).O_NONBLOCK ?? 0);

const readAll = (file: number): Buffer => {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  for (let read = 1; read > 0 && length <= MAX_BYTES;) {
    read = readSync(file, bytes, length, bytes.length - length, null);
    length += read;
  }
  if (length > MAX_BYTES) throw new Error('it has more than 1 MiB');
  return bytes.subarray(0, length);
};

/**
 * A whole file of at most 1 MiB; `check` may throw the reason to refuse it.
 * @throws if it cannot be read, or is a folder, a FIFO or a device.
 */
export const readRegularFile = (path: string, check: (stats: Stats) => void = () => undefined): Buffer => {
  const file = openSync(path, READ_AT_ONCE);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new Error('it is a folder');
    if (!stats.isFile()) throw new Error('it is not a regular file');
    check(stats);
    return readAll(file);
  } finally {
    closeSync(file);
  }
};

/** A whole regular file of at most 1 MiB. Left: `it cannot be read: …`. */
export const readBytes = (path: string): E.Either<string, Buffer> =>
  E.tryCatch(
    () => readRegularFile(path),
    (thrown) => `it cannot be read: ${systemReason(thrown)}`,
  );

/** The chunks of a file of any size. A Left is the last chunk: `it cannot be read: …`. */
export async function* readChunks(path: string): AsyncGenerator<E.Either<string, Buffer>> {
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) yield E.right(chunk);
  } catch (thrown) {
    yield E.left(`it cannot be read: ${systemReason(thrown)}`);
  }
}

/** Whether two paths lead to one file; false if one of them cannot be examined. */
export const isSameFile = (first: string, second: string): boolean => {
  try {
    const [a, b] = [statSync(first), statSync(second)];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
};

/** The JSON value in a file of UTF-8 text. Left: `it cannot be read: …` or `it is not valid JSON: …`. */
export const readJson = (path: string): E.Either<string, Json> =>
  pipe(
    readBytes(path),
    E.chain((bytes) =>
      pipe(
        parseJson(bytes.toString('utf8'), 'it'),
        E.mapLeft(({ message }) => message),
      ),
    ),
  );

/** The version of the format of files that outlive the program which wrote them. */
export const FILE_VERSION = 1;

/** Checks the version of a file, by default `FILE_VERSION`. Left, about `it`: the version is of a newer airbench, or unknown. */
export const checkVersion = (version: unknown = FILE_VERSION): E.Either<string, void> => {
  if (version === FILE_VERSION) return E.right(undefined);
  const isNewer = Number.isInteger(version) && Number(version) > FILE_VERSION;
  return E.left(
    isNewer
      ? `it is of version ${String(version)}, this airbench knows ${FILE_VERSION}: install a newer airbench`
      : `its version must be ${FILE_VERSION}, got ${JSON.stringify(version)}`,
  );
};
