/**
 * Bundles the program and the pages into dist/, beside noble and bleno. With `--if-changed`, only if a source is newer than
 * the program. Without the bundle, more than a third of the program's start was the search for about 200 files.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';

/** A folder as deep as `dist/src/`, so that relative paths to files of the package stay valid. */
const FOLDER = 'dist/bin';

const PROGRAM = `${FOLDER}/airbench.js`;

/** The sources of a bundle. A folder counts as newer too after the removal of a file. */
const SOURCES = [
  'package.json',
  'ci/bundle.mjs',
  'ci/pages.ts',
  'src',
  'simulators',
  'features',
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

/**
 * Packages that are part of ours, each with the folder of its code beside `index.js`: noble and bleno, since npm would compile
 * bleno (docs/decisions/003-ignore-scripts.md), packages that only the features use, and Swagger UI, which brings a package that
 * reports installations.
 */
const PARTS = {
  ...{ '@abandonware/noble': 'lib', '@abandonware/bleno': 'lib', ajv: 'dist' },
  ...{ 'fast-deep-equal': undefined, 'fast-uri': 'lib', 'json-schema-traverse': undefined },
  ...{ 'require-from-string': undefined, 'swagger-ui-dist': undefined },
};

const USED =
  /^(?:index\.js|with-.*\.js|swagger-ui-bundle\.js(?:\.LICENSE\.txt)?|swagger-ui\.css|favicon-32x32\.png|package\.json|LICENSE|NOTICE)$/i;

const copyLibraries = () => {
  for (const [part, code] of Object.entries(PARTS)) {
    const folder = `node_modules/${part}`;
    rmSync(join('dist', folder), { recursive: true, force: true });
    for (const name of readdirSync(folder).filter((name) => name === code || USED.test(name)))
      cpSync(join(folder, name), join('dist', folder, name), { recursive: true });
  }
};

/** The bundle contains these packages, and loads all others from `node_modules`. */
const program = {
  configFile: false,
  ssr: { noExternal: ['@bufbuild/protobuf', 'fp-ts', 'io-ts', 'semver'] },
  build: {
    ssr: 'src/cli/airbench.mjs',
    outDir: FOLDER,
    target: 'node20',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: { entryFileNames: 'airbench.js', chunkFileNames: '[name]-[hash].js' },
    },
  },
};

/** The folders with files for browsers. */
const FOR_BROWSERS = [
  'dist/src/page/built',
  'dist/simulators/page/built',
  'dist/node_modules/swagger-ui-dist',
];

const COMPRESSED = /\.(?:js|css|svg)$/;

/** Puts FILE.gz in the place of each script, style and vector image. */
const compressIn = (folder) => {
  for (const file of everythingIn(folder).filter((path) => COMPRESSED.test(path))) {
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
};

/** Writes what git says into a file beside the program, unless this is no git checkout. */
const writeFromGit = (name, ...args) => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  if (status === 0) writeFileSync(join(FOLDER, name), stdout.trim());
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
  for (const folder of FOR_BROWSERS) compressIn(folder);
  // For `GET /api/about`, and to notice a clock that is earlier.
  writeFromGit('commit.txt', 'describe', '--always', '--exclude', '*', '--abbrev=12', '--dirty');
  writeFromGit('built.txt', 'log', '-1', '--format=%cI');
}
