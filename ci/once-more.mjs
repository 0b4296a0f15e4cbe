/**
 * Runs the tests in the named files, and repeats each failed test alone. A test that passes the second time is flaky, and does
 * not fail the run.
 */
import process from 'node:process';
import { addFlaky, flakyLines, forgetFlaky, isTooFlaky, runMocha } from './mocha.mjs';
import { VARIABLE } from './program-notes.mjs';

/** The limit of failures in a run; more failures are not a coincidence. */
const MOST = 5;

const HOOK = /"(?:before|after) (?:all|each)" hook/;

const exactly = (title) => `^${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;

/** Repeats a failed test, or all tests of its file after the failure of a hook. */
const passesAlone = ({ file, fullTitle }) => {
  process.stdout.write(`once more, alone: ${fullTitle}\n`);
  const { status, passes } = runMocha([
    ...(HOOK.test(fullTitle) ? [] : ['--grep', exactly(fullTitle)]),
    file,
  ]);
  return status === 0 && passes.length > 0;
};

// The stages of a run share their flaky tests.
if (process.env[VARIABLE] === undefined) forgetFlaky();

const { status, failures } = runMocha(['--parallel', '--jobs', '3', ...process.argv.slice(2)]);
const flaky = failures.length > MOST ? [] : failures.filter(passesAlone);
if (flaky.length > 0) addFlaky(flaky.map(({ source, fullTitle, err }) => ({ source, fullTitle, err })));
for (const line of flakyLines(flaky)) process.stdout.write(`${line}\n`);

const allPass = status === 0 || (failures.length > 0 && flaky.length === failures.length);
process.exitCode = allPass && !isTooFlaky(flaky) ? 0 : 1;
