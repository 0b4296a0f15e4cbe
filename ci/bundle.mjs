/**
 * Bundles the program and the pages into dist/, noble and bleno beside them. With `--if-changed`, only where something is newer than the program there.
 * Without the bundle, more than a third of the program's start was finding and reading some 200 files of ours and of fp-ts.
 */
import { chmodSync, cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** It is as deep as `dist/src/`, so that relative paths to files of the package are right. */
const FOLDER = 'dist/bin';

const PROGRAM = `${FOLDER}/airbench.js`;

/** The sources of a bundle. A folder from which a file was removed counts as newer, too. */
const SOURCES = [
  'package.json',
  'ci/bundle.mjs',
  'ci/pages.ts',
  'src',
  'simulators',
  'node_modules/.package-lock.json',
];

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

/** All packages but these are loaded from where they are installed. */
const program = {
  configFile: false,
  ssr: { noExternal: ['@bufbuild/protobuf', 'fp-ts', 'io-ts', 'semver'] },
  build: {
    ssr: 'src/cli/airbench.mjs',
    outDir: FOLDER,
    target: 'node20',
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { entryFileNames: 'airbench.js', chunkFileNames: '[name]-[hash].js' } },
  },
};

const onlyIfChanged = process.argv.includes('--if-changed');
if (!onlyIfChanged || !isBuilt()) {
  if (onlyIfChanged) process.stderr.write('building the program and its pages\n');
  const { build } = await import('vite');
  for (const root of ['src/page', 'simulators/page'])
    await build({ configFile: 'ci/pages.ts', root, logLevel: 'warn' });
  await build({ ...program, logLevel: 'warn' });
  chmodSync(PROGRAM, 0o755);
  copyLibraries();
}
