/**
 * Runs commands at the same time, and fails if one of them does. What the first says is shown as it comes, what the others say
 * when they have ended.
 */
import { spawn } from 'node:child_process';

const run = (command, index) =>
  new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const output of [child.stdout, child.stderr])
      output.on('data', (chunk) => (index === 0 ? process.stdout.write(chunk) : said.push(chunk)));
    child.on('close', (status) => resolve({ command, status, said }));
  });

const runs = process.argv.slice(2).map(run);
let failed = false;
for (const ended of runs) {
  const { command, status, said } = await ended;
  for (const chunk of said) process.stdout.write(chunk);
  if (status === 0) continue;
  process.stdout.write(`it failed: ${command}\n`);
  failed = true;
}
process.exitCode = failed ? 1 : 0;
