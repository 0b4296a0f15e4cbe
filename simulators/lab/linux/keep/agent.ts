/** The program of a kept guest: runs the commands from stdin, each in a new process group. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { messageLine, READY } from './messages.js';
import type { Numbered, Reply, Request } from './reading.js';

const running = new Map<number, ChildProcess>();

const outputs = (): readonly Readable[] =>
  [...running.values()].flatMap(({ stdout, stderr }) => (stdout && stderr ? [stdout, stderr] : []));

const send = (reply: Numbered<Reply>): void => {
  if (process.stdout.write(messageLine(reply))) return;
  for (const output of outputs()) output.pause();
  process.stdout.once('drain', () => {
    for (const output of outputs()) output.resume();
  });
};

/** Sends a signal to the process group of a command. */
const kill = ({ pid }: ChildProcess, name: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // The group has ended.
  }
};

const NOT_FOUND = 127;

/** The guest's variables, which replace the client's. */
const ofTheGuest = Object.fromEntries(
  ['PATH', 'CONTROL_URL'].flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
);

const fail = (id: number, { message }: Error): void =>
  send({ id, type: 'stderr', data: Buffer.from(`${message}\n`).toString('base64') });

/** @throws Error if the program does not exist, or if a word of the command has a NUL. */
const run = (id: number, { command, folder, variables }: Extract<Request, { type: 'run' }>): void => {
  const [program = '', ...args] = command;
  const env = { ...variables, ...ofTheGuest };
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: 'pipe' });
  running.set(id, child);
  // A command need not read its input.
  child.stdin.on('error', () => undefined);
  for (const type of ['stdout', 'stderr'] as const) {
    child[type].on('data', (bytes: Buffer) => send({ id, type, data: bytes.toString('base64') }));
  }
  child.once('error', (error) => fail(id, error));
  // Processes that the command leaves behind end too.
  child.once('exit', () => kill(child, 'SIGKILL'));
  child.once('close', (code, signal) => {
    running.delete(id);
    const status = signal !== null ? 128 + constants.signals[signal] : code;
    send({ id, type: 'exit', status: status === null || status < 0 ? NOT_FOUND : status });
  });
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line) as Numbered<Request>;
    if (request.type === 'run') {
      try {
        run(request.id, request);
      } catch (error) {
        fail(request.id, error as Error);
        send({ id: request.id, type: 'exit', status: NOT_FOUND });
      }
      return;
    }
    const child = running.get(request.id);
    if (child === undefined) return;
    if (request.type === 'input') child.stdin?.write(Buffer.from(request.data, 'base64'));
    else if (request.type === 'end') child.stdin?.end();
    else kill(child, request.type === 'signal' ? request.name : 'SIGHUP');
  })
  .once('close', () => process.exit(0));

process.stdout.write(`${READY}\n`);
