/**
 * Installs the packages in the named folders, each with its own lock file: packages for one part of the tests, which `npm ci`
 * does not install. Skips a folder whose packages match its lock file.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isInstalled = (folder) =>
  changedAt(join(folder, 'node_modules/.package-lock.json')) > changedAt(join(folder, 'package-lock.json'));

/** npm reads its options from the folder of the installation, not from `.npmrc` of this one. */
const INSTALL = 'npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --prefix';

for (const folder of process.argv.slice(2).filter((folder) => !isInstalled(folder))) {
  const { status } = spawnSync(`${INSTALL} ${folder}`, { shell: true, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
