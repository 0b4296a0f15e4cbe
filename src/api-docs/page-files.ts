/** The files of the page: Swagger UI from its package, and a few lines of ours. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { bytes } from '../codecs/index.js';
import { endpoint, PAGE_HEADERS } from '../contract/index.js';
import { lazily } from '../async/lazily.js';
import { STYLE } from './style.js';

const { resolve } = createRequire(import.meta.url);

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('http'),
  deepLinking: true,
  validatorUrl: null,
});
`;

const fromPackage = (name: string): (() => Buffer) =>
  lazily(() => readFileSync(resolve(`swagger-ui-dist/${name}`)));

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
  file('swagger-ui-bundle.js', script, fromPackage('swagger-ui-bundle.js')),
  file('swagger-ui.css', style, fromPackage('swagger-ui.css')),
  file('favicon-32x32.png', 'image/png', fromPackage('favicon-32x32.png')),
  file('start.js', script, () => Buffer.from(START)),
  file('style.css', style, () => Buffer.from(STYLE)),
];
