/** Programs that a bench starts: they end with the run, however it ends. */
import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { AIRBENCH } from '../../src/system/package.js';
import { describeExit } from '../../src/system/system-error.js';
import { NO_TOKENS } from '../clients/authorization.js';
import type { ServerLog } from './server-log.js';
import { CannotRun } from './cannot-run.js';

export interface StartedProgram {
  readonly port: number;
  /** Resolves when it has ended; rejects if that was not in order. */
  readonly close: () => Promise<void>;
  /** Ends it as kill -9 does; resolves when it is gone. */
  readonly kill: () => Promise<void>;
}

/** A server that scenarios may start for themselves. */
export interface ServerProgram {
  /** Starts it where the devices of the bench are, with more flags. */
  readonly start: (flags: readonly string[]) => Promise<StartedProgram>;
  /** Ends the server of the bench that is in its place, if there is one; what it gives back starts that one again. */
  readonly makeRoom: () => Promise<() => Promise<void>>;
}

/** They would set where a server listens, as its flags do. */
const NO_PLACE = { AIRBENCH_ADDRESS: undefined, AIRBENCH_PORT: undefined };

export const IN_ORDER = 'ended with status 0';

/** Starts `airbench ARGS` and waits until it says that it is ready, and where. Its stderr goes to `log` from then on. */
export const startProgram = async (args: readonly string[], log: ServerLog): Promise<StartedProgram> => {
  const child = fork(AIRBENCH, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, ...NO_PLACE, ...NO_TOKENS },
  });
  const lines: string[] = [];
  let receive = (line: string): void => void lines.push(line);
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => receive(line));
  const ended = describeExit(child);
  const ready = new Promise<number>((resolve) => {
    child.on('message', (message: { ready?: { port?: number } }) => {
      if (message.ready?.port !== undefined) resolve(message.ready.port);
    });
  });
  const first = await Promise.race([ready.then((port) => ({ port })), ended.then((how) => ({ how }))]);
  const name = `airbench ${args.join(' ')}`;
  if ('how' in first) {
    if (child.stderr !== null) await finished(child.stderr);
    throw new CannotRun(`${name} did not start: ${lines.join('\n').trim() || `it ${first.how}`}`);
  }
  receive = (line) => log.push(line);
  for (const line of lines) log.push(line);
  return {
    port: first.port,
    close: async () => {
      if (child.connected) child.disconnect();
      const how = await ended;
      if (how !== IN_ORDER) throw new Error(`${name} ${how}`);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
