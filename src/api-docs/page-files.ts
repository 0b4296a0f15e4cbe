/** The files of the page: Swagger UI from its package, and our own files. */
import { readFileSync } from 'node:fs';
import { bytes } from '../codecs/index.js';
import { endpoint, PAGE_HEADERS } from '../contract/index.js';
import { lazily } from '../async/tasks.js';
import { packageFile } from '../system/package.js';
import { STYLE } from './style.js';

const read = (path: string): (() => Buffer) => lazily(() => readFileSync(packageFile(path)));

const SWAGGER = 'dist/node_modules/swagger-ui-dist';

/** `coding`: that of `content`. */
const file = (
  name: string,
  mediaType: string,
  content: () => Buffer,
  coding: 'identity' | 'gzip' = 'identity',
) => ({
  endpoint: endpoint({
    method: 'GET',
    path: `/docs/${name}`,
    subject: 'Documents',
    access: 'open',
    summary: 'A part of the page',
    response: bytes(mediaType),
    headers: PAGE_HEADERS,
  }),
  read: content,
  coding,
});

const script = 'text/javascript';
const style = 'text/css';

export const pageFiles = [
  file('swagger-ui-bundle.js', script, read(`${SWAGGER}/swagger-ui-bundle.js.gz`), 'gzip'),
  file('swagger-ui.css', style, read(`${SWAGGER}/swagger-ui.css.gz`), 'gzip'),
  file('favicon-32x32.png', 'image/png', read(`${SWAGGER}/favicon-32x32.png`)),
  file('start.js', script, read('dist/src/page/built/documents.js.gz'), 'gzip'),
  file(
    'style.css',
    style,
    lazily(() => Buffer.from(STYLE)),
  ),
];
