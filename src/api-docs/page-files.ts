/** The files of the page: Swagger UI from its package, and our own files. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { bytes } from '../codecs/index.js';
import { endpoint, PAGE_HEADERS } from '../contract/index.js';
import { lazily } from '../async/tasks.js';
import { missingPackage } from '../system/packages.js';
import { packageFile } from '../system/package.js';
import { STYLE } from './style.js';

const { resolve } = createRequire(import.meta.url);

const PACKAGE = 'swagger-ui-dist';

/** A script in the place of a missing Swagger UI. `dom_id` selects the element for the operations. */
const placeholderScript = (reason: string): string =>
  `var SwaggerUIBundle = ({ dom_id }) => document.querySelector(dom_id).append('Swagger UI shows the operations here: ${reason}');\n`;

const fromPackage = (name: string, placeholder = (_reason: string): string => ''): (() => Buffer) =>
  lazily(() => {
    const reason = missingPackage(PACKAGE);
    return reason === undefined
      ? readFileSync(resolve(`${PACKAGE}/${name}`))
      : Buffer.from(placeholder(reason));
  });

const file = (name: string, mediaType: string, read: () => Buffer) => ({
  endpoint: endpoint({
    method: 'GET',
    path: `/docs/${name}`,
    subject: 'Documents',
    access: 'open',
    summary: 'A part of the page',
    response: bytes(mediaType),
    headers: PAGE_HEADERS,
  }),
  read,
});

const script = 'text/javascript';
const style = 'text/css';

export const pageFiles = [
  file('swagger-ui-bundle.js', script, fromPackage('swagger-ui-bundle.js', placeholderScript)),
  file('swagger-ui.css', style, fromPackage('swagger-ui.css')),
  file('favicon-32x32.png', 'image/png', fromPackage('favicon-32x32.png')),
  file(
    'start.js',
    script,
    lazily(() => readFileSync(packageFile('dist/src/page/built/documents.js'))),
  ),
  file(
    'style.css',
    style,
    lazily(() => Buffer.from(STYLE)),
  ),
];
