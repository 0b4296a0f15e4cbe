/** Runs commands at the same time, prints what each of them said when it has ended, and fails if one of them does. */
import { spawn } from 'node:child_process';

const run = (command) =>
  new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => said.push(chunk));
    child.on('close', (status) => {
      for (const chunk of said) process.stdout.write(chunk);
      resolve(status);
    });
  });

const statuses = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
