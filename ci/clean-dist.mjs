/** Removes the output of tsc for deleted and moved sources from dist/, so that old tests do not run. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const BUILT = /\.(?:js|js\.map|d\.ts)$/;

/** The output of ci/bundle.mjs, which has no sources with the same names, and which each build replaces completely. */
const BUNDLES = ['bin/', 'node_modules/', 'src/page/built/', 'simulators/page/built/'].map((folder) =>
  join(folder),
);

const files = existsSync('dist') ? readdirSync('dist', { recursive: true }) : [];

for (const file of files) {
  const isBundle = BUNDLES.some((folder) => file.startsWith(folder));
  if (!isBundle && BUILT.test(file) && !existsSync(file.replace(BUILT, '.ts'))) rmSync(join('dist', file));
}
