/** A server as a process: started, announced, and ended in order. */
import { finished } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import type { Logger } from 'pino';
import { detached } from '../../async/defects.js';
import { systemTime, type Cancel } from '../../async/time.js';
import { hasStatus, isLogStuck, isLogText, writeLine } from '../output/log.js';
import { openMinuteLog } from '../../system/log.js';
import { openPage } from './open-page.js';
import { printLines } from '../output/print.js';
import { during } from '../output/progress.js';
import { onStopRequest } from './stop.js';
import { notifySystemd } from './systemd.js';

export interface Running {
  readonly ready: readonly string[];
  readonly log: Logger;
  /** Notes for users, logged after `ready`, which people read first. */
  readonly warnings?: readonly string[];
  readonly port: number;
  /** The URL of the health check, if the server has one. */
  readonly health?: string;
  readonly open?: string | undefined;
  /** Writes further lines for a person at a terminal until `signal` aborts. */
  readonly greet?: (signal: AbortSignal) => Promise<void>;
  readonly close: Task<void>;
}

/** The messages of a server to the process that forked it: that it is ready, or the reason why it failed. */
export const ReadyMessage = t.type({
  ready: t.type({ port: t.number, warnings: t.readonlyArray(t.string) }),
});
export const FailedMessage = t.type({ failed: t.string });
type Report = t.TypeOf<typeof ReadyMessage | typeof FailedMessage>;

/** Sends a message to the process that forked this one, if that exists; resolves afterwards in any case. */
const report = (message: Report): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, {}, () => resolve());
  });

/**
 * Logs each uncaught defect of a ready server with its place, and lets the server continue. A repeated defect is counted, and logged once a minute.
 */
const logDefects = (log: Logger): Cancel => {
  const minuteLog = openMinuteLog(log, systemTime);
  const onDefect = (err: Error): void =>
    minuteLog.write('error', err.stack ?? err.message, 'a defect of the program', { err });
  process.on('uncaughtException', onDefect);
  return () => {
    process.off('uncaughtException', onDefect);
    minuteLog.close();
  };
};

/** The host in a URL: no client can connect to `0.0.0.0` and `::`, which `self` replaces. */
const hostIn = (address: string, self = 'localhost'): string => {
  if (address === '0.0.0.0' || address === '::') return self;
  return address.includes(':') ? `[${address}]` : address;
};

/** The health check of a server for its own machine: an address, without a name to look up. */
export const healthUrl = (address: string, port: number): string =>
  `http://${hostIn(address, '127.0.0.1')}:${port}/health`;

export const proxyUrl = (address: string, port: number): string => `esphome://${hostIn(address)}:${port}`;

export const pageUrl = (address: string, port: number): string => `http://${hostIn(address)}:${port}/`;

/** `dice server  http://localhost:3000  ws://localhost:3000/ws` */
export const readyLine = (name: string, address: string, port: number, socket = '/ws'): string => {
  const authority = `${hostIn(address)}:${port}`;
  return `${name}  http://${authority}  ws://${authority}${socket}`;
};

/**
 * Runs a server until a request to stop (`onStopRequest`), until the process that forked this one ends or stdout is closed,
 * then closes it. The process ends by itself with status 0, or the status that closing has set. A Left of `start` is a
 * message, and exit status 1. Message and warnings go to the process that forked this one, if any, else to stderr. `abandon` undoes an
 * unfinished `start` if the process is stopped before the server is ready. With `endWithStdin` the end of stdin stops the
 * server too. A defect before the server is ready ends the process; later defects are logged.
 */
export const run = async (
  start: TE.TaskEither<string, Running>,
  abandon: Task<void> = () => Promise.resolve(),
  { endWithStdin = false }: { readonly endWithStdin?: boolean } = {},
): Promise<void> => {
  const stopped = new Promise<undefined>((resolve) => {
    onStopRequest(() => resolve(undefined));
    process.once('disconnect', () => resolve(undefined));
    if (process.send !== undefined && !process.connected) resolve(undefined);
    // Nobody can read that the server is ready.
    process.stdout.on('error', () => resolve(undefined));
    if (endWithStdin) finished(process.stdin.resume(), () => resolve(undefined));
  });
  const started = await during('starting', () => Promise.race([stopped, start()]));
  if (started === undefined) {
    await abandon();
    process.exit(0);
  }
  if (E.isLeft(started)) {
    if (process.send === undefined) writeLine(started.left);
    await report({ failed: started.left });
    process.exit(1);
  }
  const { ready, log, warnings = [], port, health, open, greet, close } = started.right;
  const endLastResort = logDefects(log);
  printLines(ready);
  if (process.send === undefined) warnings.forEach((text) => log.warn(text));
  if (open !== undefined) detached(openPage(open));
  const stopping = new AbortController();
  if (greet !== undefined && hasStatus && isLogText() && process.send === undefined)
    detached(greet(stopping.signal));
  // The parent process may have ended already, which `disconnect` reports.
  detached(report({ ready: { port, warnings } }));
  const status = ready.join(', ');
  const endService = notifySystemd({ status, health, time: systemTime, env: process.env });
  await stopped;
  stopping.abort();
  if (endWithStdin) process.stdin.destroy();
  try {
    await Promise.all([endService(), close()]);
  } finally {
    endLastResort();
  }
  // The process ends by itself, unless output waits for a reader.
  if (process.connected) process.disconnect();
  if (isLogStuck()) process.exit();
};
