/** The page of a server, from the output of `npm run build` in the package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { bytes } from '../codecs/index.js';
import { endpoint, PAGE_HEADERS } from '../contract/index.js';
import { lazily } from '../async/tasks.js';
import { packageFile } from '../system/package.js';
import { fileRoute, type Coding, type Route } from './route.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** The end of the names of assets, which are all compressed. */
const COMPRESSED = '.gz';

/** The headers of a file whose name changes with its content. */
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const fileRoutes = (
  path: string,
  /** An absolute path. */
  file: string,
  coding: Coding,
  headers: Readonly<Record<string, string>>,
): readonly Route[] => {
  const read = lazily(() => readFileSync(file));
  const part = endpoint({
    method: 'GET',
    path,
    access: 'open',
    summary: 'A part of the page',
    response: bytes(MEDIA_TYPES[extname(basename(file, COMPRESSED))] ?? 'application/octet-stream'),
    headers: { ...PAGE_HEADERS, ...headers },
  });
  return fileRoute(part, read, coding);
};

/** The source of a page, without `.html`. */
export type PagePath = `${'src' | 'simulators'}/page/${string}`;

/** The page at `/`, such as `src/page/dice`, and its files; empty without a build. */
export const pageRoutes = (page: PagePath): readonly Route[] => {
  const folder = packageFile(`dist/${dirname(page)}/built`);
  const assets = join(folder, 'assets');
  if (!existsSync(assets)) return [];
  return [
    ...fileRoutes('/', join(folder, `${basename(page)}.html`), 'identity', {}),
    ...readdirSync(assets).flatMap((file) =>
      fileRoutes(`/assets/${basename(file, COMPRESSED)}`, join(assets, file), 'gzip', FOR_EVER),
    ),
  ];
};
