import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { KINDS, type Kind } from '../../../src/contract/kinds.js';
import { describeExit } from '../../../src/system/system-error.js';
import { AIRBENCH } from '../../../src/system/package.js';
import { Arrivals } from './arrivals.js';

export interface Ended {
  /** Null if a signal ended the program. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Variables besides those of this process; undefined removes a variable. */
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the program with this process, however this process ends: by `--end-with-stdin`, or by a channel as `fork` opens it. */
  readonly tie?: 'stdin' | 'channel';
  /** Receives stderr line by line; only the last lines are kept then. */
  readonly onLog?: (line: string) => void;
}

/** Flags for free ports in place of the default ports of servers. */
export const NO_PORTS = [...KINDS, 'control'].flatMap((part) => [`--${part}-port`, '0']);

/** Flags for free ports of a rig. */
export const RIG_PORTS = [...NO_PORTS, '--hci-port', '0'];

/** How many lines of stderr are kept besides `onLog`. */
const MOST_LINES = 50;

const IN_ORDER = 'ended with status 0';

/** The exits of the programs that still run. */
const running = new Map<ChildProcess, Promise<unknown>>();

/** Kills all programs that still run, for example after a failed test, and resolves when they have ended. */
export const endPrograms = async (): Promise<void> => {
  for (const child of running.keys()) child.kill('SIGKILL');
  await Promise.allSettled(running.values());
};

let dataFolders: string | undefined;

/** A folder that is removed at the end of this process. */
const newDataFolder = (): string => {
  if (dataFolders === undefined) {
    const folder = (dataFolders = mkdtempSync(join(tmpdir(), 'airbench-data-')));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  return mkdtempSync(join(dataFolders, 'program-'));
};

/**
 * The environment without the flags of airbench, which would change the meaning of arguments. In the place of the user's folder of data, a
 * server has a folder of its own.
 */
export const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AIRBENCH_'))),
  STATE_DIRECTORY: newDataFolder(),
});

/** A program as a process, and the lines that it prints. */
export class Program {
  /** Resolves when the program has ended and all its output has arrived. */
  readonly ended: Promise<Ended>;
  private readonly lines: string[] = [];
  private readonly logged: string[] = [];
  private readonly arrivals = new Arrivals();
  private readonly exit: Promise<string>;

  private constructor(
    readonly process: ChildProcess,
    private readonly name: string,
    { onLog }: Pick<ProgramOptions, 'onLog'> = {},
  ) {
    this.exit = describeExit(process);
    running.set(process, this.exit);
    const printed = this.read(process.stdout, (line) => this.lines.push(line));
    const logged = this.read(process.stderr, (line) => {
      this.logged.push(line);
      if (onLog !== undefined && this.logged.length > MOST_LINES) this.logged.shift();
      onLog?.(line);
    });
    this.ended = this.end([printed, logged]);
  }

  private read(stream: Readable | null, receive: (line: string) => void): Promise<unknown> {
    if (stream === null) return Promise.resolve();
    const lines = createInterface({ input: stream });
    lines.on('line', (line) => {
      receive(line);
      this.arrivals.notify();
    });
    // This process may close the stream.
    return finished(stream).catch(() => undefined);
  }

  private async end(output: readonly Promise<unknown>[]): Promise<Ended> {
    const exit = await this.exit;
    await Promise.all(output);
    running.delete(this.process);
    this.arrivals.end(`${this.name} ${exit}: ${this.log}`);
    return { status: this.process.exitCode, stdout: this.lines.join('\n'), stderr: this.log };
  }

  /** `airbench ARGS`. */
  static airbench(args: readonly string[], options?: ProgramOptions): Program {
    return Program.node([AIRBENCH, ...args], options, `airbench ${args[0] ?? ''}`);
  }

  /** `airbench air` on free ports. */
  static air(args: readonly string[] = []): Program {
    return Program.airbench(['air', '--control-port', '0', '--hci-port', '0', ...args]);
  }

  /** `airbench rig` on free ports. */
  static rig(args: readonly string[] = [], options?: ProgramOptions): Program {
    return Program.airbench(['rig', ...RIG_PORTS, '--address', '127.0.0.1', ...args], options);
  }

  /** A server on a free port. */
  static server(kind: Kind, hci: string, args: readonly string[] = [], options?: ProgramOptions): Program {
    return Program.airbench([kind, '--address', '127.0.0.1', '--port', '0', '--hci', hci, ...args], options);
  }

  /** A script for Node. */
  static node(
    args: readonly string[],
    { env = {}, tie, onLog }: ProgramOptions = {},
    name = `node ${args.join(' ')}`,
  ): Program {
    const child = spawn(process.execPath, args, {
      stdio: [
        tie === 'stdin' ? 'pipe' : 'ignore',
        'pipe',
        'pipe',
        ...(tie === 'channel' ? ['ipc' as const] : []),
      ],
      env: { ...environment(), ...env },
    });
    return new Program(child, name, onLog === undefined ? {} : { onLog });
  }

  /** Any other program whose stdout or stderr is a pipe. */
  static of(child: ChildProcess): Program {
    return new Program(child, child.spawnfile);
  }

  /** All of stderr so far, or its last lines if there is `onLog`. */
  get log(): string {
    return this.logged.map((line) => `${line}\n`).join('');
  }

  /**
   * The address in the line of stdout that begins with `name`, such as in `dice server  http://127.0.0.1:3000`. `limit`: how long it may
   * take, milliseconds; none if left out.
   */
  url(name: string, limit?: number): Promise<string> {
    const place = (): string | undefined =>
      this.lines.find((line) => line.startsWith(name))?.split(/\s{2,}/)[1];
    return this.arrivals.until(place, `no ${name}`, limit);
  }

  /** The first line of stderr, after the first `from` characters, that contains all of `texts`. */
  logs(texts: readonly string[], from = 0): Promise<string> {
    const line = (): string | undefined =>
      this.log
        .slice(from)
        .split('\n')
        .find((candidate) => candidate !== '' && texts.every((text) => candidate.includes(text)));
    return this.arrivals.until(line, `no ${texts.join(' ')}`);
  }

  signal(name: NodeJS.Signals): Promise<Ended> {
    this.process.kill(name);
    return this.ended;
  }

  /** Ends the program in order. Rejects if its status is not 0. */
  async close(): Promise<void> {
    if (this.process.stdin !== null) this.process.stdin.end();
    else if (this.process.connected) this.process.disconnect();
    else this.process.kill('SIGINT');
    await this.ended;
    const exit = await this.exit;
    if (exit !== IN_ORDER) throw new Error(`${this.name} ${exit}: ${this.log.trimEnd()}`);
  }
}
