import { identity } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { documentsOf, pageFiles } from '../api-docs/index.js';
import { OPEN_ACCESS, type Access } from '../access/index.js';
import { documentEndpoints, type Contract, type OperationTypes, type TypesOf } from '../contract/index.js';
import type { ServerError } from '../operations/index.js';
import { routesOf, type Route } from './route.js';

/** The documents of `contract` on a server of such `access`, and the page that shows them with its files. */
export const documentRoutes = (contract: Contract, { required }: Access = OPEN_ACCESS): readonly Route[] => {
  const { openapi, asyncapi, page } = documentsOf(contract, required ? 'required' : 'none');
  return [
    ...routesOf<TypesOf<typeof documentEndpoints>, ServerError>(
      documentEndpoints,
      {
        openapi: () => TE.right(openapi()),
        asyncapi: () => TE.right(asyncapi()),
        docs: () => TE.right(page()),
      },
      identity,
    ),
    ...pageFiles.flatMap(({ endpoint, read }) =>
      routesOf<{ readonly file: OperationTypes<unknown, Buffer> }, ServerError>(
        { file: endpoint },
        { file: () => TE.right(read()) },
        identity,
      ),
    ),
  ];
};
