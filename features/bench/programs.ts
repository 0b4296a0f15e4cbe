/** Programs that a bench starts: they end with the run, however it ends. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { CannotRun } from './cannot-run.js';

export interface StartedProgram {
  readonly port: number;
  /** Resolves when it has ended; rejects if that was not in order. */
  readonly close: () => Promise<void>;
}

/** Starts `airbench ARGS` and waits until it says that it is ready, and where. Its stderr is shown from then on. */
export const startProgram = async (args: readonly string[]): Promise<StartedProgram> => {
  const child = fork('dist/src/cli/main.js', args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  let hear = (text: string): void => void (said += text);
  child.stderr?.on('data', (chunk: Buffer) => hear(chunk.toString()));
  // Not `close`: it does not come once the channel was closed from here.
  const ended = once(child, 'exit').then(([status]: (number | null)[]) => status ?? null);
  const ready = new Promise<number>((resolve) => {
    child.on('message', (message: { ready?: { port?: number } }) => {
      if (message.ready?.port !== undefined) resolve(message.ready.port);
    });
  });
  const first = await Promise.race([ready.then((port) => ({ port })), ended.then((status) => ({ status }))]);
  const name = `airbench ${args.join(' ')}`;
  if ('status' in first) {
    if (child.stderr !== null) await finished(child.stderr);
    throw new CannotRun(
      `${name} did not start: ${said.trim() || `it ended with status ${String(first.status)}`}`,
    );
  }
  hear = (text) => void process.stderr.write(text);
  return {
    port: first.port,
    close: async () => {
      if (child.connected) child.disconnect();
      const status = await ended;
      if (status !== 0) throw new Error(`${name} ended with status ${String(status)}`);
    },
  };
};
