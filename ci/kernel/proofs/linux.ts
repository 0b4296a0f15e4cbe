import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startAirbench } from '../airbench.js';
import type { Setup } from '../setup.js';
import { serverAt } from './dice-client.js';

/** Milliseconds; a guest of its own boots in about ten seconds, and packages may have to be fetched. */
const LIMIT = 240_000;

/** Where the scripts of docs/lab/bleak.md and docs/lab/peripheral.md are. */
const FOLDER = 'docs/lab';

/** It has a line of stdin, says something on stderr, and becomes the script, whose exit status is the face. */
const COMMAND = 'read -r line; echo "heard $line"; echo warned >&2; exec python3 roll.py';

/** What peripheral.py serves. */
const NAME = 'GoDice_B1E200_G_v04';
const LEVEL = 77;

const DICE_SERVER = /^dice server\s+http:\/\/(\S+)/m;

/** A guest of its own for a program of this machine: its streams, its exit status, its end. */
export const proveLinux = async (setup: Setup): Promise<void> => {
  const { report, signal } = setup;
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
  const radio = ['--hci', `tcp:127.0.0.1:${setup.air.hciPort}`];
  const packages = ['--packages', 'python3-dbus,python3-gi'];
  const program = airbenchLinux([...radio, ...packages, '--', 'python3', 'peripheral.py'], signal);
  await report.prove(
    'the dice server finds a die that BlueZ serves in a guest, asks for its battery, lights it, sees it roll',
    () => meetDie(program, radio, signal),
  );
  await report.prove('kill -9 of airbench linux leaves no QEMU', async () => {
    const qemu = qemuOf(program.pid);
    program.kill('SIGKILL');
    if (qemu === undefined) throw new Error('it had none');
    await until(
      () => !commandLine(qemu).includes(QEMU),
      () => 'QEMU to end',
    );
  });
};

/** A dice server of this machine's and peripheral.py, on one radio. */
const meetDie = async (
  program: ChildProcess,
  radio: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const said = textOf(program.stdout);
  const says = (line: string): Promise<void> =>
    until(
      () => said().split('\n').includes(line),
      () => `“${line}”; it said:\n${said()}`,
    );
  const place = ['--address', '127.0.0.1', '--port', '0'];
  const { output, end } = await startAirbench(
    ['dice', ...radio, ...place, '--scan-secs', '1'],
    [DICE_SERVER],
    signal,
  );
  try {
    const server = serverAt(DICE_SERVER.exec(output)?.[1] ?? '');
    await says(`on the air as ${NAME}`);
    await server.connects(await server.finds(NAME));
    await server.lights('FF0000', '0000FF');
    await says('lit ff0000 0000ff');
    const events = await server.listen();
    program.stdin?.write('4\n');
    await events.until(({ kind, face }) => kind === 'Stable' && face === 4);
    events.end();
    const { battery_level: level } = await server.status();
    if (level !== LEVEL) throw new Error(`its battery level is ${String(level)}`);
  } finally {
    await end();
  }
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

/** @throws what was waited for, when it takes too long. */
const until = async (holds: () => boolean, what: () => string): Promise<void> => {
  const deadline = AbortSignal.timeout(LIMIT);
  while (!holds()) {
    if (deadline.aborted) throw new Error(`waited ${LIMIT / 1000} s for ${what()}`);
    await setTimeout(50);
  }
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
