import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { basename } from 'node:path';
import { AIRBENCH } from '../../src/system/package.js';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import type { Report } from './report.js';

/** Milliseconds: programs under emulation answer slowly, and start and end more slowly. */
export const ANSWER_LIMIT = 60_000;
export const START_LIMIT = 120_000;

/** The limit of characters of a program's output in the message about a failed wait. */
const MOST_SHOWN = 2_000;

/** Escape sequences of a terminal, and carriage returns. */
// eslint-disable-next-line no-control-regex -- they are made of control characters
const TERMINAL = /\x1b\[[\d;?]*[A-Za-z]|[\x01\x02\r]/g;

/** The beginning of an incomplete escape sequence. */
// eslint-disable-next-line no-control-regex -- as above
const UNFINISHED = /\x1b(?:\[[\d;?]*)?$/;

interface StartOptions {
  /** A program of Node, by default `airbench`. */
  readonly program?: string;
  readonly cwd?: string;
  /** Milliseconds after which the program is killed; undefined: no limit. */
  readonly limit?: number;
}

export type Start = (args: readonly string[], options?: StartOptions) => Program;

/** A running `airbench`: lines for its stdin, and a record of its output. */
export class Program {
  stdout = '';
  stderr = '';
  /** Both outputs in order, without the part that {@link says} has read. */
  private unread = '';
  /** Resolves after the last output with the exit status, null after a signal. */
  readonly ended: Promise<number | null>;
  private hasEnded = false;
  private readonly arrivals = new Arrivals();

  constructor(
    readonly child: ChildProcessWithoutNullStreams,
    private readonly report: Report,
    private readonly title: string,
  ) {
    for (const name of ['stdout', 'stderr'] as const) this.read(name);
    child.stdin.on('error', () => undefined);
    // A limit or an interruption kills the program; `close` reports the end.
    child.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('close', (status) => {
        this.hasEnded = true;
        this.arrivals.end('it ended');
        resolve(status);
      });
    });
  }

  private read(name: 'stdout' | 'stderr'): void {
    let cut = '';
    let line = '';
    this.child[name].setEncoding('utf8').on('data', (text: string) => {
      const whole = cut + text;
      cut = UNFINISHED.exec(whole)?.[0] ?? '';
      const plain = whole.slice(0, whole.length - cut.length).replace(TERMINAL, '');
      this[name] += plain;
      this.unread += plain;
      const lines = (line + plain).split('\n');
      line = lines.pop() ?? '';
      for (const complete of lines) this.report.note(complete);
      this.arrivals.notify();
    });
  }

  send(line: string): void {
    this.report.note(`> ${line}`);
    this.child.stdin.write(`${line}\n`);
  }

  /**
   * Waits for output, reads up to the end of the match and resolves with the match.
   * @throws a message if there is no match within `limit` milliseconds, or before the end of the program.
   */
  async says(pattern: RegExp, limit = ANSWER_LIMIT): Promise<RegExpExecArray> {
    const match = (): RegExpExecArray | undefined => pattern.exec(this.unread) ?? undefined;
    try {
      const result = await this.arrivals.until(match, `no ${pattern.source}`, limit);
      this.unread = this.unread.slice(result.index + result[0].length);
      return result;
    } catch (error) {
      const output = this.unread.slice(-MOST_SHOWN).trim();
      throw new Error(`${this.title}: ${(error as Error).message}:\n${output}`, { cause: error });
    }
  }

  /** Sends a line and waits for its answer. */
  asks(line: string, answer: RegExp): Promise<RegExpExecArray> {
    this.send(line);
    return this.says(answer);
  }

  /** Sends lines, each after the answer to the previous line. */
  async talks(...lines: readonly (readonly [line: string, answer?: RegExp])[]): Promise<void> {
    for (const [line, answer = /(?:)/] of lines) await this.asks(line, answer);
  }

  /** Waits for the end of the program, after `signal` if there is one; kills the program at the limit. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.child.kill(signal);
    const killing = setTimeout(() => this.child.kill('SIGKILL'), START_LIMIT);
    return this.ended.finally(() => clearTimeout(killing));
  }

  /** Ends the program like Ctrl-C. @throws a message if it has ended before, or does not end in order. */
  async stop(): Promise<void> {
    if (this.hasEnded) throw new Error(`${this.title} had ended already:\n${this.stderr}`);
    const status = await this.end('SIGINT');
    if (status !== 0) throw new Error(`${this.title} ended with status ${status}:\n${this.stderr}`);
  }
}

/** Starts programs, which are killed when `signal` aborts; the log of `report` has their input and output. */
export const starter =
  (report: Report, signal: AbortSignal): Start =>
  (args, { program = AIRBENCH, cwd, limit } = {}) => {
    const title = `${basename(program, '.js')} ${args[0] ?? ''}`;
    report.note(`$ ${title} ${args.slice(1).join(' ')}`);
    const child = spawn(process.execPath, [program, ...args], {
      ...{ cwd, stdio: 'pipe', killSignal: 'SIGKILL', env: { ...process.env, TERM: 'dumb' } },
      signal: AbortSignal.any([signal, ...(limit === undefined ? [] : [AbortSignal.timeout(limit)])]),
    });
    return new Program(child, report, title);
  };

/** Runs `work` while a program runs, with the first group of the match of `ready`. */
export const during = async <A>(
  program: Program,
  ready: RegExp,
  work: (place: string) => Promise<A>,
): Promise<A> => {
  try {
    const [, place = ''] = await program.says(ready);
    return await work(place);
  } finally {
    await program.stop();
  }
};
