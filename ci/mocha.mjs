/** Runs Mocha, reads its results, and keeps a list of flaky tests. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** A test in Mocha's report, with the name of its source. */
const withSource = (test) => ({
  ...test,
  source: relative('.', test.file ?? '')
    .replace(/^dist[\\/]/, '')
    .replace(/\.js$/, '.ts'),
});

/** Runs Mocha; without results, the exit status is not 0 either. */
export const runMocha = (args, stdio = 'inherit') => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-mocha-'));
  const output = join(folder, 'results.json');
  const reporter = ['--reporter', 'ci/reporter.cjs', '--reporter-option', `output=${output}`];
  const { status } = spawnSync(process.execPath, ['node_modules/mocha/bin/mocha.js', ...reporter, ...args], {
    stdio,
  });
  const { passes, failures } = existsSync(output) ? readJson(output) : { passes: [], failures: [] };
  rmSync(folder, { recursive: true });
  return { status, passes: passes.map(withSource), failures: failures.map(withSource) };
};

const FLAKY = join(process.env.AIRBENCH_REPORTS ?? 'reports', 'flaky.json');

export const forgetFlaky = () => rmSync(FLAKY, { force: true });

export const flakyTests = () => (existsSync(FLAKY) ? readJson(FLAKY) : []);

export const addFlaky = (tests) => {
  mkdirSync(dirname(FLAKY), { recursive: true });
  writeFileSync(FLAKY, JSON.stringify([...flakyTests(), ...tests], undefined, 2));
};

export const flakyLines = (tests) => tests.map(({ source, fullTitle }) => `FLAKY ${source}: ${fullTitle}`);

/** A run may have one flaky test; with two, later runs would fail too often. */
export const isTooFlaky = (tests) => tests.length > 1;
