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

/** How long a server may take to be ready, and how long to end. */
const LIMIT_MS = 30_000;

export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  readonly warnings: readonly string[];
  readonly tell: (pages: Pages) => void;
  /** Rejects never; resolves with how it ended, in words. */
  readonly ended: Promise<string>;
}

interface Context {
  readonly main: string;
  /** Take the end of the server, which is killed if it does not end in time. */
  readonly closers: Closers;
  readonly time: TimeSource;
}

/** The variables that no flag can stand for, since others could read it in the list of processes. */
const SECRETS = ['AIRBENCH_TOKEN', 'AIRBENCH_MQTT_PASSWORD'];

/** The rig's own variables: ours reach a server as flags, and systemd hears of the rig alone. */
const OWN = /^(?:AIRBENCH_|NOTIFY_SOCKET$|WATCHDOG_)/;

const variables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => SECRETS.includes(name) || !OWN.test(name)),
  );

/**
 * Logs all lines of `output`, and resolves when it is closed. A stderr of one's own for each process: of one that is
 * shared, each changes how it blocks for all.
 */
const passedOn = async (output: Readable | null): Promise<void> => {
  if (output === null) return;
  createInterface({ input: output }).on('line', (line) => writeLine(line));
  await once(output, 'close');
};

/** Forks `airbench COMMAND ARGS`. Left: why it did not start, or that it was not ready in time. */
export const startServer = async (
  command: string,
  args: readonly string[],
  { main, closers, time }: Context,
): Promise<E.Either<string, ServerProcess>> => {
  const name = `${command} server`;
  const child = fork(main, [command, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: variables(),
  });
  const ended = Promise.all([describeExit(child), passedOn(child.stderr)]).then(([how]) => how);
  const kill = (): void => void child.kill('SIGKILL');
  // A sudden exit, as at a second Ctrl-C, ends the servers too.
  process.prependOnceListener('exit', kill);
  detached(ended.then(() => process.off('exit', kill)));
  const inTime = <A>(promise: Promise<A>): Promise<E.Either<unknown, A>> =>
    wait<A>({ time, ms: LIMIT_MS }, (settle) => {
      detached(promise.then(settle));
      return () => undefined;
    })();

  closers.add(async () => {
    if (child.connected) child.disconnect();
    if (E.isRight(await inTime(ended))) return;
    writeLine(`the ${name} did not end within ${LIMIT_MS / 1000} s: it is killed`);
    kill();
    await ended;
  });
  const tell = (pages: Pages): void => {
    // It may be gone already; `ended` reports it.
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
        // Its last message may still be on the way.
        if (child.connected) await once(child, 'disconnect');
        resolve(E.left(`the ${name} did not start`));
      }),
    );
  });
  const inLimit = await inTime(started);
  if (E.isRight(inLimit)) return inLimit.right;
  kill();
  return E.left(`the ${name} was not ready within ${LIMIT_MS / 1000} s`);
};
