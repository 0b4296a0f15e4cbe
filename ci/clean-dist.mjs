/** Removes from dist/ what tsc made of sources that are no more, so that no test runs that was moved or deleted. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MADE = /\.(?:js|js\.map|d\.ts)$/;

const files = existsSync('dist') ? readdirSync('dist', { recursive: true }) : [];

for (const file of files) {
  if (MADE.test(file) && !existsSync(file.replace(MADE, '.ts'))) rmSync(join('dist', file));
}
