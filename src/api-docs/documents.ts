import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { decode } from '../codecs/index.js';
import type { Contract } from '../contract/index.js';
import { readJson } from '../system/files.js';
import { packageFile } from '../system/package.js';
import { asyncApi } from './asyncapi.js';
import { Examples, NO_EXAMPLES } from './parts.js';
import { lazily } from '../async/tasks.js';
import { openApi, type Tokens } from './openapi.js';
import { pageOf } from './page.js';

/** The documents of a server. The first request makes each document. */
export interface Documents {
  readonly openapi: () => JsonRecord;
  readonly asyncapi: () => JsonRecord;
  /** HTML. */
  readonly page: () => Buffer;
}

/** The examples of a contract in the package. */
const examplesOf = ({ name }: Contract): Examples =>
  pipe(
    readJson(packageFile(`docs/examples/api/${name}.json`)),
    E.chainW(decode(Examples, 'the file')),
    E.getOrElse(() => NO_EXAMPLES),
  );

export const documentsOf = (contract: Contract, tokens: Tokens): Documents => {
  const examples = lazily(() => examplesOf(contract));
  return {
    openapi: lazily(() => openApi(contract, examples(), tokens)),
    asyncapi: lazily(() => asyncApi(contract, examples())),
    page: lazily(() => Buffer.from(pageOf(contract, examples()))),
  };
};
