/**
 * Repeats the test files that used an optional program in this run, with only Node on the PATH: they must pass, and find no
 * optional program. Part of `npm run test:all`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { newNotes, notesSoFar } from './program-notes.mjs';

const files = [...new Set(notesSoFar().map(({ file }) => file))];

const folder = mkdtempSync(join(tmpdir(), 'airbench-bare-'));
symlinkSync(process.execPath, join(folder, 'node'));
const env = { ...process.env, PATH: folder, AIRBENCH_REQUIRE: '' };
const notes = newNotes(env);
const mocha = ['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', '3', '--reporter', 'dot'];
const { status } = spawnSync(process.execPath, [...mocha, ...files], { env, stdio: 'inherit' });
const uses = notes.read();
notes.remove();
rmSync(folder, { recursive: true });

const problems = [
  ...(files.length > 0 ? [] : ['no test has used an optional program: run this by npm run test:all']),
  ...(status === 0 ? [] : ['tests fail where the programs are missing']),
  ...uses.filter(({ found }) => found).map(({ file, program }) => `${file} found ${program}`),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
