/**
 * Runs scripts of package.json one after another, those joined by a plus sign at the same time: `build lint+unit features`.
 * Ends after the first that fails. The last lines say how long each took, for want of which programs tests were left out, and
 * which tests are flaky.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { flakyLines, flakyTests, forgetFlaky, isTooFlaky } from './mocha.mjs';
import { countsOfFilesWithout, newNotes, notesSoFar, VARIABLE } from './program-notes.mjs';

/** The output of a group's first script is shown as it comes, that of the others when they have ended. */
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

// Stages of stages share the notes of the outermost.
const isOutermost = process.env[VARIABLE] === undefined;
const notes = isOutermost ? newNotes(process.env) : undefined;
if (isOutermost) forgetFlaky();

const ended = [];
for (const group of process.argv.slice(2)) {
  for (const running of group.split('+').map(run)) {
    const one = await running;
    if (one.index > 0) process.stdout.write(one.printed);
    ended.push({ ...one, group });
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
