/** Starts Swagger UI in the page. */
import type { Json } from 'fp-ts/lib/Json.js';
import { dereferenced } from './dereferenced.js';

declare const SwaggerUIBundle: (options: object) => unknown;

/** Replaces Swagger UI's resolver, which parses the whole document each time an operation is expanded and takes seconds. */
const resolveSubtree = (document: Json, path: readonly string[]): Promise<object> =>
  Promise.resolve({ spec: dereferenced(document, path), errors: [] });

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#http',
  deepLinking: true,
  validatorUrl: null,
  plugins: [() => ({ fn: { resolveSubtree } })],
});
