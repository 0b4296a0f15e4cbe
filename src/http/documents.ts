import * as TE from 'fp-ts/lib/TaskEither.js';
import { documentsOf, pageFiles } from '../api-docs/index.js';
import { OPEN_ACCESS, type Access } from '../access/index.js';
import { documentEndpoints, type Contract, type TypesOf } from '../contract/index.js';
import { fileRoute, serverRoutes, type Route } from './route.js';

/** The documents of `contract` on a server of such `access`, and the page that shows them with its files. */
export const documentRoutes = (contract: Contract, { required }: Access = OPEN_ACCESS): readonly Route[] => {
  const { openapi, asyncapi, page } = documentsOf(contract, required ? 'required' : 'none');
  return [
    ...serverRoutes<TypesOf<typeof documentEndpoints>>(documentEndpoints, {
      openapi: () => TE.right(openapi()),
      asyncapi: () => TE.right(asyncapi()),
      docs: () => TE.right(page()),
    }),
    ...pageFiles.flatMap(({ endpoint, read }) => fileRoute(endpoint, read)),
  ];
};
