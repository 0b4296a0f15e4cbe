/** The files of the page: Swagger UI from its package, and our own files. */
import { readFileSync } from 'node:fs';
import { bytes } from '../codecs/index.js';
import { endpoint, PAGE_HEADERS } from '../contract/index.js';
import { lazily } from '../async/tasks.js';
import { packageFile } from '../system/package.js';
import { STYLE } from './style.js';

const read = (path: string): (() => Buffer) => lazily(() => readFileSync(packageFile(path)));

const ofSwagger = (name: string): (() => Buffer) => read(`dist/node_modules/swagger-ui-dist/${name}`);

const file = (name: string, mediaType: string, content: () => Buffer) => ({
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
});

const script = 'text/javascript';
const style = 'text/css';

export const pageFiles = [
  file('swagger-ui-bundle.js', script, ofSwagger('swagger-ui-bundle.js')),
  file('swagger-ui.css', style, ofSwagger('swagger-ui.css')),
  file('favicon-32x32.png', 'image/png', ofSwagger('favicon-32x32.png')),
  file('start.js', script, read('dist/src/page/built/documents.js')),
  file(
    'style.css',
    style,
    lazily(() => Buffer.from(STYLE)),
  ),
];
