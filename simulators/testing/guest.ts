import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import { runInKept } from '../lab/linux/keep/client.js';
import { keep } from '../lab/linux/keep/keeper.js';
import { describeExit } from '../../src/system/system-error.js';
import { AIRBENCH } from '../../src/system/package.js';

export interface GuestOptions {
  /** The radio of its adapters, `hci` of a world; by default a separate radio without devices. */
  readonly hci?: string;
  /** More flags of `airbench linux` (`airbench linux --help`) without their dashes, such as `{packages: 'python3-bleak'}`. */
  readonly flags?: Readonly<Record<string, string | number>>;
}

/** The result of a command. */
export interface GuestResult {
  /** The exit status; 128 + n if signal n ended it, 127 if the program does not exist. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A Linux guest with Bluetooth adapters, for any number of commands (docs/lab/linux.md). */
export interface Guest {
  /** Runs a command in the current folder, with the text `input` as its stdin. Rejects if the guest has ended. */
  readonly run: (command: readonly string[], input?: string) => Promise<GuestResult>;
  /** Ends the guest; resolves when all its processes have ended. */
  readonly close: () => Promise<void>;
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const AGENT = fileURLToPath(new URL('../lab/linux/keep/agent.js', import.meta.url));

const variables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Starts a guest; it ends with this process at the latest. Rejects with its log if it does not start. */
export const guest = async ({ hci, flags = {} }: GuestOptions = {}): Promise<Guest> => {
  const radio = hci === undefined ? { dice: 0, clocks: 0 } : { hci };
  const args = Object.entries({ ...radio, ...flags }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  // The agent ends with its stdin, which ends with this process.
  const linux = spawn(process.execPath, [AIRBENCH, 'linux', ...args, '--', process.execPath, AGENT], {
    stdio: 'pipe',
  });
  linux.stdin.on('error', () => undefined);
  let log = '';
  linux.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const name = randomBytes(8).toString('hex');
  const keeper = await keep(name, linux.stdin, linux.stdout, (message) => (log += `${message}\n`));
  const ended = describeExit(linux).then(async (exit) => {
    await keeper.close();
    return exit;
  });
  const exit = await Promise.race([keeper.ready, ended]);
  if (exit !== undefined) throw new Error(`airbench linux ${exit}: ${log}`);

  const run: Guest['run'] = async (command, input = '') => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stdin.end(input);
    const texts = [stdout, stderr].map((stream) => text(stream));
    const place = { folder: process.cwd(), variables: variables() };
    const result = await runInKept(
      name,
      { command, ...place },
      { stdin, stdout, stderr, terminal: undefined },
    ).ended;
    for (const stream of [stdout, stderr]) stream.end();
    if (E.isLeft(result)) throw new Error(`airbench linux ${await ended}: ${log}`);
    const [out = '', err = ''] = await Promise.all(texts);
    return { status: result.right, stdout: out, stderr: err };
  };
  const close = async (): Promise<void> => {
    linux.stdin.end();
    await ended;
  };
  return { run, close, [Symbol.asyncDispose]: close };
};
