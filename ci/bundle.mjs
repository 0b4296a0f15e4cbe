/**
 * Bundles the program and the pages into dist/, noble and bleno beside them. With `--if-changed`, only where something is newer than the program there.
 */
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const PROGRAM = 'dist/bin/airbench.js';

/** The sources of a bundle. A folder from which a file was removed counts as newer, too. */
const SOURCES = ['package.json', 'ci/bundle.ts', 'src', 'simulators', 'node_modules/.package-lock.json'];

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const everythingIn = (path) =>
  statSync(path).isDirectory()
    ? [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))]
    : [path];

const isBuilt = () => {
  const builtAt = changedAt(PROGRAM);
  return SOURCES.flatMap(everythingIn).every((path) => changedAt(path) < builtAt);
};

/** npm compiles bleno wherever it is a dependency (docs/decisions/003-ignore-scripts.md): the package has the files themselves. */
const USED = /^(?:lib|index\.js|with-.*\.js|package\.json|LICENSE)$/;

const copyLibraries = () => {
  for (const name of ['noble', 'bleno'].map((name) => `node_modules/@abandonware/${name}`)) {
    rmSync(join('dist', name), { recursive: true, force: true });
    for (const part of readdirSync(name).filter((part) => USED.test(part)))
      cpSync(join(name, part), join('dist', name, part), { recursive: true });
  }
};

if (!process.argv.includes('--if-changed') || !isBuilt()) {
  if (process.argv.includes('--if-changed')) process.stderr.write('building the program and its pages\n');
  const { build } = await import('vite');
  for (const configFile of ['src/page/vite.config.ts', 'ci/bundle.ts'])
    await build({ configFile, logLevel: 'warn' });
  copyLibraries();
}
