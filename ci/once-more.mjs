/**
 * Runs the tests in the named files, and repeats each file with a failed test alone. A test that passes the second time is
 * flaky, and does not fail the run.
 */
import { relative } from 'node:path';
import process from 'node:process';
import { addFlaky, flakyLines, forgetFlaky, isTooFlaky, runMocha } from './mocha.mjs';
import { VARIABLE } from './program-notes.mjs';

/** The limit of failures in a run; more failures are not a coincidence. */
const MOST = 5;

/** Repeats a file alone, and resolves to whether all of its tests pass: a test may need the tests before it. */
const passesAlone = (file) => {
  process.stdout.write(`once more, alone: ${relative('.', file)}\n`);
  const { status, passes } = runMocha([file]);
  return status === 0 && passes.length > 0;
};

// The stages of a run share their flaky tests.
if (process.env[VARIABLE] === undefined) forgetFlaky();

const { status, failures } = runMocha(['--parallel', '--jobs', '3', ...process.argv.slice(2)]);
const failedFiles = failures.length > MOST ? [] : [...new Set(failures.map(({ file }) => file))];
const passing = new Set(failedFiles.filter(passesAlone));
const flaky = failures.filter(({ file }) => passing.has(file));
if (flaky.length > 0) addFlaky(flaky.map(({ source, fullTitle, err }) => ({ source, fullTitle, err })));
for (const line of flakyLines(flaky)) process.stdout.write(`${line}\n`);

const allPass = status === 0 || (failures.length > 0 && flaky.length === failures.length);
process.exitCode = allPass && !isTooFlaky(flaky) ? 0 : 1;
