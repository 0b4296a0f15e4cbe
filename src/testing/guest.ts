import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { messageLine, READY, type Numbered, type Reply, type Request } from '../linux/keep/messages.js';
import { replyReader } from '../linux/keep/reading.js';
import { describeExit } from '../system/system-error.js';
import { AIRBENCH } from '../system/package.js';

export interface GuestOptions {
  /** The radio that its adapters are on, `hci` of a world; by default one of its own, without devices. */
  readonly hci?: string;
  /** More flags of `airbench linux` (`airbench linux --help`) without their dashes, such as `{packages: 'python3-bleak'}`. */
  readonly flags?: Readonly<Record<string, string | number>>;
}

/** The end of a command. */
export interface GuestResult {
  /** The exit status; 128 + n if signal n ended it, 127 if there is no such program. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A Linux guest with Bluetooth adapters, for any number of commands (docs/lab/linux.md). */
export interface Guest {
  /** Runs a command in the current folder, with the text `input` as its stdin. Rejects if the guest has ended. */
  readonly run: (command: readonly string[], input?: string) => Promise<GuestResult>;
  /** Ends it; resolves when nothing of it is left. */
  readonly close: () => Promise<void>;
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const AGENT = fileURLToPath(new URL('../linux/keep/agent.js', import.meta.url));

/** Collects what a command writes until it ends. */
interface Collected {
  readonly stdout: Buffer[];
  readonly stderr: Buffer[];
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

const variables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Starts a guest; it ends with this process at the latest. Rejects with what it said if it does not start. */
export const guest = async ({ hci, flags = {} }: GuestOptions = {}): Promise<Guest> => {
  const radio = hci === undefined ? { dice: 0, clocks: 0 } : { hci };
  const args = Object.entries({ ...radio, ...flags }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  // The agent ends with its stdin, and that with this process.
  const linux = spawn(process.execPath, [AIRBENCH, 'linux', ...args, '--', process.execPath, AGENT], {
    stdio: 'pipe',
  });
  linux.stdin.on('error', () => undefined);
  let said = '';
  linux.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const running = new Map<number, Collected>();
  const ended = describeExit(linux).then((how) => {
    for (const { reject } of running.values()) reject(new Error(`airbench linux ${how}: ${said}`));
    return how;
  });
  const receive = ({ id, ...reply }: Numbered<Reply>): void => {
    const command = running.get(id);
    if (reply.type === 'exit') command?.resolve(reply.status);
    else command?.[reply.type].push(Buffer.from(reply.data, 'base64'));
  };
  const read = replyReader('the guest', receive, (message) => (said += `${message}\n`));
  const ready = new Promise<true>((resolve) => {
    createInterface({ input: linux.stdout }).on('line', (line) => {
      if (line === READY) resolve(true);
      else read(line);
    });
  });
  const started = await Promise.race([ready, ended]);
  if (started !== true) throw new Error(`airbench linux ${started}: ${said}`);

  let lastId = 0;
  const run: Guest['run'] = async (command, input = '') => {
    const id = ++lastId;
    const send = (request: Request): void => {
      linux.stdin.write(messageLine({ ...request, id } as Numbered<Request>));
    };
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    try {
      const status = await new Promise<number>((resolve, reject) => {
        running.set(id, { stdout, stderr, resolve, reject });
        if (linux.exitCode !== null) reject(new Error(`airbench linux ended: ${said}`));
        send({ type: 'run', command, folder: process.cwd(), variables: variables() });
        send({ type: 'input', data: Buffer.from(input).toString('base64') });
        send({ type: 'end' });
      });
      return { status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
    } finally {
      running.delete(id);
    }
  };
  const close = async (): Promise<void> => {
    linux.stdin.end();
    await ended;
  };
  return { run, close, [Symbol.asyncDispose]: close };
};
