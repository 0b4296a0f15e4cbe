/** Files that outlive the program that wrote them carry the version of their format. */
import * as E from 'fp-ts/lib/Either.js';

/** Of every file that is written today. */
export const FILE_VERSION = 1;

/** A file without a version is one of today's. Left, of `it`: a newer airbench wrote it, or its version is none. */
export const checkVersion = (version: unknown = FILE_VERSION): E.Either<string, void> => {
  if (version === FILE_VERSION) return E.right(undefined);
  const isNewer = Number.isInteger(version) && Number(version) > FILE_VERSION;
  return E.left(
    isNewer
      ? `it is of version ${String(version)}, this airbench knows ${FILE_VERSION}: install a newer airbench`
      : `its version must be ${FILE_VERSION}, got ${JSON.stringify(version)}`,
  );
};
