import { identity } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Documents } from '../api-docs/index.js';
import { pageFiles } from '../api-docs/page-files.js';
import { documentEndpoints, type Contract, type Shape, type ShapesOf } from '../contract/index.js';
import { lazily } from '../lazily.js';
import type { ServerError } from './errors.js';
import { routesOf, type Route } from './route.js';

/** The documents of `contract`, and the page that shows them with its files. What makes them is loaded for the first of them. */
export const documentRoutes = (contract: Contract): readonly Route[] => {
  const documents = lazily(async () => (await import('../api-docs/index.js')).documentsOf(contract));
  const made = <A>(make: (from: Documents) => A): TE.TaskEither<ServerError, A> =>
    TE.fromTask(async () => make(await documents()));
  return [
    ...routesOf<ShapesOf<typeof documentEndpoints>, ServerError>(
      documentEndpoints,
      {
        openapi: () => made(({ openapi }) => openapi()),
        asyncapi: () => made(({ asyncapi }) => asyncapi()),
        docs: () => made(({ page }) => page()),
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
