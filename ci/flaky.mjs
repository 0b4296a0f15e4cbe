/** `npm run flaky -- --times 10 FILE…`: repeats test files beside two busy processes, and counts passes and failures by test. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { Command, InvalidArgumentError } from 'commander';
import { runMocha } from './mocha.mjs';

const BAD_USAGE = 2;

/** A busy program that ends with its parent process. */
const BUSY = 'for (const parent = process.ppid; process.ppid === parent; );';

const positive = (value) => {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError(`It must be a positive whole number, got "${value}".`);
};

const command = new Command('flaky')
  .description('repeats test files on a busy machine, and counts passes and failures of each test')
  .option('--times <number>', 'number of runs', positive, 10)
  .argument('<files...>', 'test files, such as test/cli/report.e2e.test.ts')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE))
  .parse();
const [files] = command.processedArgs;
const { times } = command.opts();

const built = files.map((file) => (file.endsWith('.ts') ? `dist/${file.replace(/\.ts$/, '.js')}` : file));
const busy = [1, 2].map(() => spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }));

const counts = new Map();
const count = (kind, { source, fullTitle }) => {
  const name = `${source}: ${fullTitle}`;
  const { passed, failed } = counts.get(name) ?? { passed: 0, failed: 0 };
  counts.set(name, { passed, failed, [kind]: (kind === 'passed' ? passed : failed) + 1 });
};

let failedRuns = 0;
for (let run = 1; run <= times; run += 1) {
  const { status, passes, failures } = runMocha(built, ['ignore', 'ignore', 'inherit']);
  for (const test of passes) count('passed', test);
  for (const test of failures) {
    count('failed', test);
    process.stdout.write(`run ${run}: ${test.fullTitle}\n${test.err.stack ?? ''}\n`);
  }
  if (status !== 0) failedRuns += 1;
}
for (const child of busy) child.kill();

for (const [name, { passed, failed }] of counts)
  process.stdout.write(`${passed} passed, ${failed} failed  ${name}\n`);
process.stdout.write(`${failedRuns} of ${times} runs failed\n`);
process.exitCode = failedRuns === 0 ? 0 : 1;
