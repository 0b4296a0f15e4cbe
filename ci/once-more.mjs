/**
 * Runs the tests in the files named. A test that fails is run once more, alone: if it passes then, it is flaky, and the run
 * goes on.
 */
import process from 'node:process';
import { addFlaky, flakyLines, forgetFlaky, isTooFlaky, runMocha } from './mocha.mjs';
import { VARIABLE } from './program-notes.mjs';

/** More failures in one run are no coincidence. */
const MOST = 5;

const HOOK = /"(?:before|after) (?:all|each)" hook/;

const exactly = (title) => `^${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;

/** With all tests of its file, if a hook failed. */
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
