import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Something that this machine lacks, as a message: nothing of ours has failed. */
export class Missing extends Error {}

export interface Execution {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly limit?: number;
  /** Called when a longer step begins, with its text, which may change. */
  readonly inform?: Inform;
}

/** Shows the text of a step: the seconds since it began are added, or what it returns is shown as it changes. */
type Inform = (text: string | (() => string)) => void;

export const findProgram = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const run = promisify(execFile);

/** 64 MiB: what a program prints is read whole. */
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
