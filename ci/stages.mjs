/**
 * Runs scripts of package.json one after another, those joined by a plus sign at the same time: `build lint+unit features`.
 * Ends after the first that fails. The last lines say how long each took, how many tests ran, and which were left out since
 * this machine lacks a program.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Names the file in which tests note the optional programs that they use (test/support/require.ts). */
const NOTES = 'AIRBENCH_PROGRAM_NOTES';

const seconds = (ms) => `${(ms / 1000).toFixed(0).padStart(7)} s`;

/** What the first script of a group says is shown as it comes, what the others say when they have ended. */
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

const isOuter = process.env[NOTES] === undefined;
const folder = isOuter ? mkdtempSync(join(tmpdir(), 'airbench-stages-')) : undefined;
if (folder !== undefined) process.env[NOTES] = join(folder, 'programs.ndjson');

const ended = [];
for (const group of process.argv.slice(2)) {
  for (const running of group.split('+').map(run)) {
    const one = await running;
    if (one.index > 0) process.stdout.write(one.printed);
    ended.push({ ...one, group });
  }
  if (ended.some(({ status }) => status !== 0)) break;
}

process.stdout.write('\n');
for (const { script, group, ms, status } of ended) {
  const beside = group.split('+').filter((other) => other !== script);
  const notes = [
    ...(beside.length > 0 ? [`beside ${beside.join(', ')}`] : []),
    ...(status === 0 ? [] : ['failed']),
  ];
  process.stdout.write(`${seconds(ms)}  ${script.padEnd(12)}${notes.join('; ')}\n`.trimEnd() + '\n');
}
