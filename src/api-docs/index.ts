/** The documents of a contract, made of its rows: OpenAPI, AsyncAPI and a page that shows them. */
export { asyncApi } from './asyncapi.js';
export { documentsOf, type Documents } from './documents.js';
export { Examples, NO_EXAMPLES } from './examples.js';
export { openApi } from './openapi.js';
