import { spawn } from 'node:child_process';
import type { Context } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { environment, Program } from '../../simulators/testing/internal/program.js';
import { requireLinux, requireProgram } from './require.js';

export const CTRL_C = '\u0003';

const onTerminal = (command: string, env: NodeJS.ProcessEnv) =>
  spawn('script', ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
  });

/** A program on its own terminal, which shows its stdout and stderr. */
export class Terminal {
  readonly program: Program;
  text = '';
  private readonly arrivals = new Arrivals();

  private constructor(private readonly child: ReturnType<typeof onTerminal>) {
    child.stdout.on('data', (chunk: Buffer) => {
      this.text += chunk.toString();
      this.arrivals.notify();
    });
    this.program = Program.of(child);
    void this.program.ended.then(() => this.arrivals.end(this.text));
  }

  /** The text without the parts of lines that were erased. */
  get visible(): string {
    const parts = this.text.split('\r\u001b[K');
    const last = parts.pop() ?? '';
    return [...parts.map((part) => part.slice(0, part.lastIndexOf('\n') + 1)), last].join('');
  }

  /** `airbench`; `args`: words without spaces. Skips the test where there is no `script` of util-linux. */
  static of(test: Context, args: readonly string[]): Terminal {
    return Terminal.running(test, `"${process.execPath}" "${AIRBENCH}" ${args.join(' ')}`);
  }

  /** A command line of `sh`. Skips the test as `of` does. */
  static running(test: Context, command: string, env = environment()): Terminal {
    requireLinux(test, 'script of util-linux');
    requireProgram(test, 'script');
    return new Terminal(onTerminal(command, env));
  }

  /** Resolves when the text contains a line that matches. */
  async shown(line: RegExp): Promise<void> {
    await this.arrivals.until(() => line.test(this.text) || undefined, `no ${line.source}`);
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }
}
