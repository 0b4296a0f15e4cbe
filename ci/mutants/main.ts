/** `npm run mutants`: checks that the tests of pure code notice small changes of the code; see docs/mutants.md. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { groups, type Group } from './groups.js';

const BAD_USAGE = 2;

/** StrykerJS, which `npm run mutants` installs. */
const STRYKER = 'ci/mutants/stryker/node_modules/@stryker-mutator/core/bin/stryker.js';

const isTest = (name: string): boolean => name.endsWith('.test.ts');

const testFiles = (path: string): readonly string[] =>
  (isTest(path)
    ? [path]
    : readdirSync(path)
        .filter(isTest)
        .map((name) => join(path, name))
  ).map((file) => join('dist', file.replace(/\.ts$/, '.js')));

const configuration = ({ least, mutate, tests }: Group, reports: string): object => ({
  mutate: mutate.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
  tests: tests.flatMap(testFiles),
  testRunner: 'mocha',
  plugins: ['./ci/mutants/stryker/mocha-runner.mjs'],
  // Instrumented code has wrong types.
  buildCommand: 'tsc --project . --noCheck --incremental false',
  ignorePatterns: ['/dist*', '/reports'],
  testRunnerNodeArgs: ['--expose-gc'],
  concurrency: 2,
  // Loaded modules stay in memory.
  maxTestRunnerReuse: 100,
  thresholds: { high: 100, low: least, break: least },
  tempDirName: join(reports, 'sandbox'),
  cleanTempDir: 'always',
  reporters: ['html', 'json', 'clear-text'],
  htmlReporter: { fileName: join(reports, 'index.html') },
  jsonReporter: { fileName: join(reports, 'mutants.json') },
  clearTextReporter: { allowEmojis: false, reportTests: false },
  warnings: { slow: false },
});

const run = (name: string, group: Group): boolean => {
  const reports = join('reports', 'mutants', name);
  mkdirSync(reports, { recursive: true });
  const path = join(reports, 'stryker.json');
  writeFileSync(path, JSON.stringify(configuration(group, reports), undefined, 2));
  return spawnSync(process.execPath, [STRYKER, 'run', path], { stdio: 'inherit' }).status === 0;
};

const names = Object.keys(groups);

const command = new Command('mutants')
  .description('StrykerJS on pure code: the share of the mutants that the tests notice')
  .addArgument(new Argument('[groups...]', 'all groups by default').choices(names))
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE))
  .parse();
const [chosen] = command.processedArgs as [readonly string[]];

const failed = Object.entries(groups)
  .filter(([name]) => chosen.length === 0 || chosen.includes(name))
  .filter(([name, group]) => !run(name, group));
if (failed.length > 0) {
  process.stderr.write(
    `too few mutants are noticed, or the tests fail without one: ${failed.map(([name]) => name).join(', ')}\n`,
  );
  process.exitCode = 1;
}
