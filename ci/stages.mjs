/**
 * Runs scripts of package.json one after another, scripts with a plus sign between them at the same time: `build lint+unit
 * features`. Ends after the first failure. The last lines have the duration of each script, the missing programs of skipped
 * tests, and the flaky tests.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { flakyLines, flakyTests, forgetFlaky, isTooFlaky } from './mocha.mjs';
import { countsOfFilesWithout, newNotes, notesSoFar, VARIABLE } from './program-notes.mjs';

/** Runs a script, and shows the output of a group's first script immediately; the output of others follows at their ends. */
const run = (script, index) =>
  new Promise((resolve) => {
    const begun = performance.now();
    const child = spawn(`npm run --silent ${script}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = [];
    for (const output of [child.stdout, child.stderr])
      output.on('data', (chunk) => {
        printed.push(chunk);
        if (index === 0) process.stdout.write(chunk);
      });
    child.on('close', (status) =>
      resolve({ script, index, printed: Buffer.concat(printed), status, ms: performance.now() - begun }),
    );
  });

// Nested stages share the notes of the outermost stages.
const isOutermost = process.env[VARIABLE] === undefined;
const notes = isOutermost ? newNotes(process.env) : undefined;
if (isOutermost) forgetFlaky();

const ended = [];
for (const group of process.argv.slice(2)) {
  for (const running of group.split('+').map(run)) {
    const result = await running;
    if (result.index > 0) process.stdout.write(result.printed);
    ended.push({ ...result, group });
  }
  if (ended.some(({ status }) => status !== 0)) break;
}

const lines = ended.map(({ script, group, ms, status }) => {
  const beside = group.split('+').filter((other) => other !== script);
  const remarks = [
    ...(beside.length === 0 ? [] : [`beside ${beside.join(', ')}`]),
    ...(status === 0 ? [] : ['failed']),
  ];
  return `${(ms / 1000).toFixed(0).padStart(6)} s  ${[script, ...remarks].join(', ')}`;
});

const leftOut = countsOfFilesWithout(notesSoFar()).map(
  ([program, files]) => `${program} (${files} ${files === 1 ? 'file' : 'files'})`,
);
if (leftOut.length > 0) lines.push(`Some tests were left out, for want of ${leftOut.join(', ')}.`);

const flaky = isOutermost ? flakyTests() : [];
lines.push(...flakyLines(flaky));

process.stdout.write(`\n${lines.join('\n')}\n`);
notes?.remove();
process.exitCode = ended.every(({ status }) => status === 0) && !isTooFlaky(flaky) ? 0 : 1;
