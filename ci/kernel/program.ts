import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { basename } from 'node:path';
import { AIRBENCH } from '../../src/system/package.js';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import type { Report } from './report.js';

/** Milliseconds: programs under emulation are slow to answer, and slower to start and to end. */
export const ANSWER_LIMIT = 60_000;
export const START_LIMIT = 120_000;

/** Characters of a program's output, in the report of a wait in vain. */
const MOST_SHOWN = 2_000;

/** Escape sequences of a terminal, and carriage returns. */
// eslint-disable-next-line no-control-regex -- they are made of control characters
const TERMINAL = /\x1b\[[\d;?]*[A-Za-z]|[\x01\x02\r]/g;

/** The beginning of an escape sequence whose rest is still to come. */
// eslint-disable-next-line no-control-regex -- as above
const UNFINISHED = /\x1b(?:\[[\d;?]*)?$/;

interface StartOptions {
  /** A program of Node; `airbench` if left out. */
  readonly program?: string;
  readonly cwd?: string;
  /** Milliseconds after which it is killed; unlimited if left out. */
  readonly limit?: number;
}

export type Start = (args: readonly string[], options?: StartOptions) => Program;

/** A running `airbench`: lines for its stdin, and a record of its output. */
export class Program {
  stdout = '';
  stderr = '';
  /** Both in order, as far as {@link says} has not read it. */
  private unread = '';
  /** Resolves with the exit status, null if a signal ended it, when all its output is here. */
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
    // It is killed for its limit or an interruption: then its end is reported by `close`.
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
      for (const one of lines) this.report.note(one);
      this.arrivals.notify();
    });
  }

  send(line: string): void {
    this.report.note(`> ${line}`);
    this.child.stdin.write(`${line}\n`);
  }

  /**
   * Waits for output, reads to the end of it and resolves with the match; what comes before it is read too.
   * @throws a message when it has not come within `limit` milliseconds, or the program ends before.
   */
  async says(pattern: RegExp, limit = ANSWER_LIMIT): Promise<RegExpExecArray> {
    const match = (): RegExpExecArray | undefined => pattern.exec(this.unread) ?? undefined;
    try {
      const matched = await this.arrivals.until(match, `no ${pattern.source}`, limit);
      this.unread = this.unread.slice(matched.index + matched[0].length);
      return matched;
    } catch (error) {
      const said = this.unread.slice(-MOST_SHOWN).trim();
      throw new Error(`${this.title}: ${(error as Error).message}:\n${said}`, { cause: error });
    }
  }

  /** Sends a line and waits for the answer to it. */
  asks(line: string, answer: RegExp): Promise<RegExpExecArray> {
    this.send(line);
    return this.says(answer);
  }

  /** Sends lines, each after the answer to the one before. */
  async talks(...lines: readonly (readonly [line: string, answer?: RegExp])[]): Promise<void> {
    for (const [line, answer = /(?:)/] of lines) await this.asks(line, answer);
  }

  /** Waits for its end, after a signal; it is killed if that takes too long. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.child.kill(signal);
    const killing = setTimeout(() => this.child.kill('SIGKILL'), START_LIMIT);
    return this.ended.finally(() => clearTimeout(killing));
  }

  /** Ends it as Ctrl-C does; @throws a message if it has ended before, or does not end in order. */
  async stop(): Promise<void> {
    if (this.hasEnded) throw new Error(`${this.title} was gone:\n${this.stderr}`);
    const status = await this.end('SIGINT');
    if (status !== 0) throw new Error(`${this.title} ended with status ${status}:\n${this.stderr}`);
  }
}

/** Programs are killed when `signal` aborts; their input and output is in the log of `report`. */
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

/** Runs `work` while a program runs, which it gets with the text that it is ready by. */
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
