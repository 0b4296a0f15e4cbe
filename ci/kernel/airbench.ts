import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AIRBENCH } from '../../src/system/package.js';

/** A program of ours on this machine. */
export interface Started {
  /** Its output when it was ready. */
  readonly output: string;
  readonly end: () => Promise<void>;
}

/** Milliseconds; it takes one second, on a loaded machine many times that. */
const LIMIT = 60_000;

/** Starts `airbench` with these arguments; resolves when all of `ready` stands in what it prints. */
export const startAirbench = async (
  args: readonly string[],
  ready: readonly RegExp[],
  signal: AbortSignal,
): Promise<Started> => {
  const program = spawn(process.execPath, [AIRBENCH, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async (): Promise<void> => {
    if (program.exitCode !== null || program.signalCode !== null) return;
    const exit = once(program, 'exit');
    program.kill('SIGINT');
    await exit;
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]);
  const lines = createInterface({ input: program.stdout, signal: limit });
  let output = '';
  for await (const line of lines) {
    output += `${line}\n`;
    if (ready.every((pattern) => pattern.test(output))) {
      program.stdout.resume();
      return { output, end };
    }
  }
  await end();
  throw new Error(`airbench ${args[0] ?? ''} did not say within ${LIMIT / 1000} s that it is ready`);
};
