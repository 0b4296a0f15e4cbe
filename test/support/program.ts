import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { KINDS } from '../../src/contract/kinds.js';
import { AIRBENCH } from '../../src/system/package.js';
import { NO_TOKENS } from '../../features/clients/authorization.js';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Flags that keep the doctor from looking at ports. */
export const NO_PORTS = [...KINDS, 'control'].flatMap((part) => [`--${part}-port`, '0']);

/** Flags that let a rig take free ports. */
export const RIG_PORTS = [...NO_PORTS, '--hci-port', '0'];

const NO_SERVERS = { BENCH: undefined, DICE_URL: undefined, CLOCK_URL: undefined, CONTROL_URL: undefined };

const running = new Set<ChildProcess>();

/** Ends what a failed test left running. */
export const endPrograms = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

/** `airbench` as a process, its output kept. */
export class Program {
  readonly ended: Promise<Ended>;
  private readonly lines: string[] = [];
  private more: (() => void) | undefined;
  private stderr = '';

  private constructor(readonly process: ChildProcess) {
    const { stdout, stderr } = process;
    if (stdout === null || stderr === null) throw new Error('the program has no output');
    running.add(process);
    process.once('close', () => running.delete(process));
    createInterface({ input: stdout }).on('line', (line) => {
      this.lines.push(line);
      this.more?.();
    });
    stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.more?.();
    });
    this.ended = once(process, 'close').then(([status]: (number | null)[]) => {
      this.more?.();
      return { status: status ?? null, stdout: this.lines.join('\n'), stderr: this.stderr };
    });
  }

  static start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    return Program.node([AIRBENCH, ...args], env);
  }

  /** `airbench air` on free ports. */
  static air(args: readonly string[] = []): Program {
    return Program.start(['air', '--control-port', '0', '--hci-port', '0', ...args]);
  }

  /** `airbench rig` on free ports. */
  static rig(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Program {
    return Program.start(['rig', ...RIG_PORTS, '--address', '127.0.0.1', ...args], env);
  }

  /** A server on a free port. */
  static server(kind: 'dice' | 'clock', hci: string, args: readonly string[] = []): Program {
    return Program.start([kind, '--address', '127.0.0.1', '--port', '0', '--hci', hci, ...args]);
  }

  /** `npm run features`, whose stdin is no terminal; where the servers are is for `env` alone to say. */
  static features(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    return Program.node(['dist/features/main.js', ...args], { ...NO_SERVERS, ...env });
  }

  /** Another script for Node. */
  static node(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    return new Program(
      spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...NO_TOKENS, ...env },
      }),
    );
  }

  /** Another program than the one built here. */
  static of(child: ChildProcess): Program {
    return new Program(child);
  }

  /** The URL in the line that begins with `name`, once it is printed. */
  async url(name: string): Promise<string> {
    for (;;) {
      const line = this.lines.find((candidate) => candidate.startsWith(name));
      const url = line?.split(/\s{2,}/)[1];
      if (url !== undefined) return url;
      if (this.hasEnded) throw new Error(`it ended before ${name} was ready: ${this.stderr}`);
      await new Promise<void>((resolve) => (this.more = resolve));
    }
  }

  /** The first line on stderr, after the first `from` characters, that has all of `texts` in it. */
  async logged(texts: readonly string[], from = 0): Promise<string> {
    for (;;) {
      const line = this.stderr
        .slice(from)
        .split('\n')
        .slice(0, -1)
        .find((candidate) => texts.every((text) => candidate.includes(text)));
      if (line !== undefined) return line;
      if (this.hasEnded) throw new Error(`it ended without ${texts.join(' ')}: ${this.stderr}`);
      await new Promise<void>((resolve) => (this.more = resolve));
    }
  }

  private get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** All of stderr so far. */
  get log(): string {
    return this.stderr;
  }

  signal(name: NodeJS.Signals): Promise<Ended> {
    this.process.kill(name);
    return this.ended;
  }
}
