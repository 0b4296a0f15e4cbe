/** The page of a server, as `npm run build` left it in the package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { bytes } from '../codecs/index.js';
import { endpoint, PAGE_HEADERS } from '../contract/index.js';
import { lazily } from '../async/tasks.js';
import { packageFile } from '../system/package.js';
import { fileRoute, type Route } from './route.js';

const FOLDER = packageFile('dist/src/page/built');

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** The name of such a file changes with what is in it. */
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const fileRoutes = (
  path: string,
  file: string,
  headers: Readonly<Record<string, string>>,
): readonly Route[] => {
  const read = lazily(() => readFileSync(join(FOLDER, file)));
  const part = endpoint({
    method: 'GET',
    path,
    access: 'open',
    summary: 'A part of the page',
    response: bytes(MEDIA_TYPES[extname(file)] ?? 'application/octet-stream'),
    headers: { ...PAGE_HEADERS, ...headers },
  });
  return fileRoute(part, read);
};

/** The page called `name` at `/`, and what all pages are made of; nothing where it was not built. */
export const pageRoutes = (name: string): readonly Route[] => {
  const assets = join(FOLDER, 'assets');
  if (!existsSync(assets)) return [];
  return [
    ...fileRoutes('/', `${name}.html`, {}),
    ...readdirSync(assets).flatMap((file) => fileRoutes(`/assets/${file}`, join('assets', file), FOR_EVER)),
  ];
};
