import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { Pages } from '../../contract/index.js';
import { describeExit } from '../../system/system-error.js';
import type { TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import type { Closers } from '../process/closers.js';
import { FailedMessage, ReadyMessage } from '../process/run.js';
import { writeLine } from '../output/log.js';

/** The limit for a server to be ready, ms: only one that hangs reaches it, even on a busy machine. */
const READY_MS = 120_000;

/** The limit for a server to end, ms. */
const END_MS = 30_000;

export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  readonly warnings: readonly string[];
  readonly tell: (pages: Pages) => void;
  /** Never rejects; resolves with a description of the end. */
  readonly ended: Promise<string>;
}

interface Context {
  readonly main: string;
  /** Closing them ends the server, which is killed if it does not end in time. */
  readonly closers: Closers;
  readonly time: TimeSource;
  /** Variables of this server alone. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The variables that no flag replaces, since other users could read a flag in the list of processes. */
const SECRETS = ['AIRBENCH_TOKEN', 'AIRBENCH_MQTT_PASSWORD'];

/** The variables of the rig alone: a server gets its flags from the rig, and only the rig notifies systemd. */
const OWN = /^(?:AIRBENCH_|NOTIFY_SOCKET$|WATCHDOG_)/;

const variables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => SECRETS.includes(name) || !OWN.test(name)),
  );

/**
 * Logs all lines of `output`, and resolves when it is closed. Each process has another stderr: on a shared stream, each
 * process would change for all processes whether writing blocks.
 */
const logLinesOf = async (output: Readable | null): Promise<void> => {
  if (output === null) return;
  createInterface({ input: output }).on('line', (line) => writeLine(line));
  await once(output, 'close');
};

/** Forks `airbench COMMAND ARGS`. Left: the reason why it did not start in time. */
export const startServer = async (
  command: string,
  args: readonly string[],
  { main, closers, time, env = {} }: Context,
): Promise<E.Either<string, ServerProcess>> => {
  const name = `${command} server`;
  const child = fork(main, [command, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...variables(), ...env },
  });
  const ended = Promise.all([describeExit(child), logLinesOf(child.stderr)]).then(([exit]) => exit);
  const kill = (): void => void child.kill('SIGKILL');
  // A sudden exit, as at a second Ctrl-C, ends the servers too.
  process.prependOnceListener('exit', kill);
  detached(ended.then(() => process.off('exit', kill)));
  const within = <A>(ms: number, promise: Promise<A>): Promise<E.Either<unknown, A>> =>
    wait<A>({ time, ms }, (settle) => {
      detached(promise.then(settle));
      return () => undefined;
    })();

  closers.add(async () => {
    if (child.connected) child.disconnect();
    if (E.isRight(await within(END_MS, ended))) return;
    writeLine(`the ${name} did not end within ${END_MS / 1000} s: it is killed`);
    kill();
    await ended;
  });
  const tell = (pages: Pages): void => {
    // The server may have ended already, which `ended` reports.
    const message = { pages: Pages.encode(pages) };
    if (child.connected) child.send(message, () => undefined);
  };
  const started = new Promise<E.Either<string, ServerProcess>>((resolve) => {
    child.on('message', (message) => {
      if (ReadyMessage.is(message)) resolve(E.right({ ...message.ready, name, tell, ended }));
      if (FailedMessage.is(message)) resolve(E.left(message.failed));
    });
    detached(
      ended.then(async () => {
        // The server's last message may still be on the way.
        if (child.connected) await once(child, 'disconnect');
        resolve(E.left(`the ${name} did not start`));
      }),
    );
  });
  const inLimit = await within(READY_MS, started);
  if (E.isRight(inLimit)) return inLimit.right;
  kill();
  return E.left(`the ${name} was not ready within ${READY_MS / 1000} s`);
};
