/**
 * Installs what a single part of the tests needs, in the folders named, each with a lock file of its own: it is not among the packages of
 * `npm ci`. A folder is left alone while its packages are as its lock file says.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isInstalled = (folder) =>
  changedAt(join(folder, 'node_modules/.package-lock.json')) > changedAt(join(folder, 'package-lock.json'));

/** npm reads its options from the folder it installs in, not from `.npmrc` here. */
const INSTALL = 'npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --prefix';

for (const folder of process.argv.slice(2).filter((folder) => !isInstalled(folder))) {
  const { status } = spawnSync(`${INSTALL} ${folder}`, { shell: true, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
