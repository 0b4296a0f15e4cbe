import { identity } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { documentsOf, pageFiles } from '../api-docs/index.js';
import { documentEndpoints, type Contract, type Shape, type ShapesOf } from '../contract/index.js';
import type { ServerError } from './errors.js';
import { routesOf, type Route } from './route.js';

/** The documents of `contract`, and the page that shows them with its files. */
export const documentRoutes = (contract: Contract): readonly Route[] => {
  const { openapi, asyncapi, page } = documentsOf(contract);
  return [
    ...routesOf<ShapesOf<typeof documentEndpoints>, ServerError>(
      documentEndpoints,
      {
        openapi: () => TE.right(openapi()),
        asyncapi: () => TE.right(asyncapi()),
        docs: () => TE.right(page()),
      },
      identity,
    ),
    ...pageFiles.flatMap(({ endpoint, read }) =>
      routesOf<{ readonly file: Shape<unknown, Buffer> }, ServerError>(
        { file: endpoint },
        { file: () => TE.right(read()) },
        identity,
      ),
    ),
  ];
};
