import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A part that this machine lacks, not a failure of this program. */
export class Missing extends Error {}

export interface Execution {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly limit?: number;
  /** Called at the beginning of a longer step. */
  readonly inform?: Inform;
}

/** Shows a step: a fixed text with the elapsed seconds, or the changing result of a function. */
type Inform = (text: string | (() => string)) => void;

export const findProgram = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const run = promisify(execFile);

/** 64 MiB, since the output of a program is read whole. */
const MAX_OUTPUT = 64 * 2 ** 20;

/**
 * The output of a program of this machine.
 * @throws Missing if there is no such program, else an error with the last lines it wrote to stderr.
 */
export const execute = async (
  program: string,
  args: readonly string[],
  { limit = 300_000, inform: _, ...options }: Execution,
): Promise<string> => {
  try {
    return (await run(program, args, { ...options, timeout: limit, maxBuffer: MAX_OUTPUT })).stdout;
  } catch (error) {
    if (options.signal.aborted) throw error;
    const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string };
    if (code === 'ENOENT') throw new Missing(`there is no program ${program}`);
    if (killed === true) throw new Error(`${program} did not end within ${limit / 1000} s`, { cause: error });
    const text = (stderr ?? '').trim().split('\n').slice(-5).join('\n');
    throw new Error(`${program} failed: ${text === '' ? String(error) : text}`, { cause: error });
  }
};
