/** What is in the package beside its program. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';

/** The path of a file of the package. */
export const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const version = pipe(
  t.type({ version: t.string }).decode(JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))),
  E.match(
    () => 'unknown',
    (manifest) => manifest.version,
  ),
);
