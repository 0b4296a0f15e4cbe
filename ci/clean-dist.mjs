/** Removes from dist/ what tsc made of sources that are no more, so that no test runs that was moved or deleted. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MADE = /\.(?:js|js\.map|d\.ts)$/;

/** The bundles of the program and of the pages have no sources of their names; vite empties both folders by itself. */
const BUNDLES = [join('bin/'), join('src/page/built/')];

const files = existsSync('dist') ? readdirSync('dist', { recursive: true }) : [];

for (const file of files) {
  const isBundle = BUNDLES.some((folder) => file.startsWith(folder));
  if (!isBundle && MADE.test(file) && !existsSync(file.replace(MADE, '.ts'))) rmSync(join('dist', file));
}
