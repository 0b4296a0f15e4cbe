/** A copy of the project as it is right after `npm ci`: nothing is built. */
import { spawn } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Program, RIG_PORTS } from '../../src/testing/internal/program.js';
import { newFolder } from '../support/folders.js';

const NOT_COPIED = ['.git', 'dist', 'node_modules', 'reports'];

const copyInto = (folder: string): void => {
  cpSync('.', folder, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
};

const pageAt = async (url: string): Promise<void> => {
  const { status, headers } = await fetch(url);
  const type = headers.get('content-type') ?? '';
  if (status !== 200 || !type.startsWith('text/html')) throw new Error(`${url} answered ${status}, ${type}`);
};

/** Seconds from `npm start` until both servers answer with their pages. */
export const secondsOfFirstStart = async (): Promise<number> => {
  const folder = newFolder();
  copyInto(folder);
  const begun = performance.now();
  const npm = spawn('npm', ['start', '--silent', '--', '--address', '127.0.0.1', ...RIG_PORTS], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const program = Program.of(npm);
  try {
    for (const server of ['dice server', 'clock server']) await pageAt(await program.url(server));
    return (performance.now() - begun) / 1000;
  } finally {
    // npm and what it has started are one group.
    if (npm.pid !== undefined && npm.exitCode === null) process.kill(-npm.pid);
    await program.ended;
  }
};
