/** The signature for a run: `BENCH/sign-off.json`, with the digest of the messages that it is for. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';

const SignOff = t.type({
  name: t.string,
  /** Empty without a remark. */
  remark: t.string,
  /** The time of the signature. */
  at: t.string,
  /** SHA-256 of the messages, in hexadecimal digits. */
  digest: t.string,
});

export type SignOff = t.TypeOf<typeof SignOff>;

const FILE = 'sign-off.json';

/** SHA-256 of the messages of a run: of one file, or of the files of its parts one after another. */
export const digestOf = (files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
};

/** The signature in the folder of a bench, for its latest run or an earlier one. */
export const readSignOff = (folder: string): E.Either<string, SignOff | undefined> => {
  const file = join(folder, FILE);
  if (!existsSync(file)) return E.right(undefined);
  return pipe(
    J.parse(readFileSync(file, 'utf8')),
    E.chainW((json) => SignOff.decode(json)),
    E.mapLeft(() => `${file} is not a sign-off with name, remark, at and digest`),
  );
};

/** The person who signs; `remark` is empty without a remark. */
export type Signer = Pick<SignOff, 'name' | 'remark'>;

export const writeSignOff = (folder: string, { name, remark }: Signer, digest: string): void => {
  const signOff: SignOff = { name, remark, at: new Date().toISOString(), digest };
  writeFileSync(join(folder, FILE), `${JSON.stringify(signOff, null, 2)}\n`);
};
