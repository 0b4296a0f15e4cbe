import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { documentsOf, pageFiles } from '../api-docs/index.js';
import { OPEN_ACCESS, type Access } from '../access/index.js';
import { lazily } from '../async/lazily.js';
import { documentEndpoints, type Contract, type Endpoint } from '../contract/index.js';
import { fileRoute, type Route } from './route.js';

/** The route of a document, whose clients share one buffer. */
const documentRoute = (row: Endpoint<unknown, Json>, document: () => JsonRecord): readonly Route[] =>
  fileRoute(
    { ...row, write: (bytes) => bytes },
    lazily(() => Buffer.from(JSON.stringify(document()))),
  );

/** The documents of `contract` on a server of such `access`, and the page that shows them with its files. */
export const documentRoutes = (contract: Contract, { required }: Access = OPEN_ACCESS): readonly Route[] => {
  const { openapi, asyncapi, page } = documentsOf(contract, required ? 'required' : 'none');
  return [
    ...documentRoute(documentEndpoints.openapi, openapi),
    ...documentRoute(documentEndpoints.asyncapi, asyncapi),
    ...fileRoute(documentEndpoints.docs, page),
    ...pageFiles.flatMap(({ endpoint, read }) => fileRoute(endpoint, read)),
  ];
};
