/** The documents of a contract, made from its rows: OpenAPI, AsyncAPI and a page that shows both. */
export { asyncApi } from './asyncapi.js';
export { documentsOf } from './documents.js';
export { Examples, NO_EXAMPLES } from './parts.js';
export { openApi } from './openapi.js';
export { pageFiles } from './page-files.js';
