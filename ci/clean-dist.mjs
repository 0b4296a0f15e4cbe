/** Removes from dist/ what tsc made of sources that are no more, so that no test runs that was moved or deleted. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MADE = /\.(?:js|js\.map|d\.ts)$/;

/** The output of ci/bundle.mjs, which has no sources of the same names and is replaced as a whole. */
const BUNDLES = ['bin/', 'node_modules/', 'src/page/built/', 'simulators/page/built/'].map((folder) =>
  join(folder),
);

const files = existsSync('dist') ? readdirSync('dist', { recursive: true }) : [];

for (const file of files) {
  const isBundle = BUNDLES.some((folder) => file.startsWith(folder));
  if (!isBundle && MADE.test(file) && !existsSync(file.replace(MADE, '.ts'))) rmSync(join('dist', file));
}
