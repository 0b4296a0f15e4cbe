/** The files of the package beside its program. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';

/** The nearest folder with a package.json: its depth differs between a bundled and an unbundled program. */
const packageFolder = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : packageFolder(dirname(folder));

const FOLDER = packageFolder(import.meta.dirname);

/** The path of a file of the package. */
export const packageFile = (path: string): string => join(FOLDER, path);

/** The program, as it is published. */
export const AIRBENCH = packageFile('dist/bin/airbench.js');

export const version = pipe(
  t.type({ version: t.string }).decode(JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))),
  E.match(
    () => 'unknown',
    (manifest) => manifest.version,
  ),
);

/** The file in which ci/bundle.mjs writes the commit of the build. */
const COMMIT = packageFile('dist/bin/commit.txt');

/** The commit of the build, with `-dirty` if there were changes; null if the build had no git checkout. */
export const commit = existsSync(COMMIT) ? readFileSync(COMMIT, 'utf8') : null;

/** The file in which ci/bundle.mjs writes the date of that commit. */
const BUILT = packageFile('dist/bin/built.txt');

/** A time before the build: the date of its commit; null if the build had no git checkout. */
export const built = existsSync(BUILT) ? new Date(readFileSync(BUILT, 'utf8')) : null;
