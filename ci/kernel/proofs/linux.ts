import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Setup } from '../setup.js';

/** Milliseconds; a guest of its own boots in about ten seconds, and bleak may have to be fetched. */
const LIMIT = 240_000;

/** Where the script of docs/lab/bleak.md is. */
const FOLDER = 'docs/lab';

/** It has a line of stdin, says something on stderr, and becomes the script, whose exit status is the face. */
const COMMAND = 'read -r line; echo "heard $line"; echo warned >&2; exec python3 roll.py';

/** A guest of its own for a program of this machine: its streams, its exit status, its end. */
export const proveLinux = async ({ report, signal }: Setup): Promise<void> => {
  await report.prove(
    'airbench linux runs a script with bleak: it finds a die, lights it, reads its battery, sees it roll',
    async () => {
      const world = ['--dice', '1', '--clocks', '0', '--packages', 'python3-bleak'];
      const program = airbenchLinux([...world, '--', 'sh', '-c', COMMAND], signal);
      program.stdin?.end('a line\n');
      const texts = [textOf(program.stdout), textOf(program.stderr)];
      const [status] = (await once(program, 'close')) as [number | null];
      const [output = '', warnings = ''] = texts.map((text) => text());
      const expected = /^heard a line\nfound D1:CE:00:00:00:01\nbattery 100 %\nface 5\n$/;
      if (status !== 5 || !expected.test(output) || warnings !== 'warned\n')
        throw new Error(`it ended with status ${status}, and said:\n${output}${warnings}`);
    },
  );
  await report.prove('kill -9 of airbench linux leaves no QEMU', async () => {
    const program = airbenchLinux(['--', 'sleep', '1000'], signal);
    const deadline = AbortSignal.timeout(LIMIT);
    const until = async (holds: () => boolean, what: string): Promise<void> => {
      while (!holds()) {
        if (deadline.aborted) throw new Error(`waited ${LIMIT / 1000} s for ${what}`);
        await setTimeout(50);
      }
    };
    let qemu: string | undefined;
    await until(() => (qemu = qemuOf(program.pid)) !== undefined, 'QEMU to start');
    program.kill('SIGKILL');
    await until(() => !commandLine(qemu ?? '').includes(QEMU), 'QEMU to end');
  });
};

const airbenchLinux = (args: readonly string[], signal: AbortSignal): ChildProcess =>
  spawn(process.execPath, [resolve('dist/src/cli/main.js'), 'linux', ...args], {
    cwd: FOLDER,
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]),
    killSignal: 'SIGKILL',
  });

const textOf = (stream: ChildProcess['stdout']): (() => string) => {
  let text = '';
  stream?.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return () => text;
};

const QEMU = 'qemu-system-x86_64';

/** The process id of a program's QEMU, once it runs. */
const qemuOf = (pid = 0): string | undefined =>
  readFile(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .find(
      (child) => child !== '' && commandLine(child).includes(QEMU) && commandLine(child).includes('folder'),
    );

const commandLine = (pid: string): string => readFile(`/proc/${pid}/cmdline`);

/** Empty for a process that is gone. */
const readFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
