/** A server as a process: started, announced, and ended in order. */
import { finished } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import type { Logger } from 'pino';
import { detached } from '../../async/defects.js';
import { systemTime, type Cancel } from '../../async/time.js';
import { isLogStuck, writeLine } from '../output/log.js';
import { openMinuteLog } from '../../system/log.js';
import { openPage } from './open-page.js';
import { printLines } from '../output/print.js';
import { during } from '../output/progress.js';
import { onStopRequest } from './stop.js';
import { notifySystemd } from './systemd.js';

export interface Running {
  readonly ready: readonly string[];
  readonly log: Logger;
  /** Notes for users, logged after the lines that say that a server is ready: those are read first. */
  readonly warnings?: readonly string[];
  readonly port: number;
  /** Where it says over HTTP that it works, if it does. */
  readonly health?: string;
  readonly open?: string | undefined;
  readonly close: Task<void>;
}

/** The messages of a server to the process that forked it: that it is ready, or why it cannot be. */
export const ReadyMessage = t.type({
  ready: t.type({ port: t.number, warnings: t.readonlyArray(t.string) }),
});
export const FailedMessage = t.type({ failed: t.string });
type Report = t.TypeOf<typeof ReadyMessage | typeof FailedMessage>;

/** Tells the process that forked this one, if one did and has not ended; resolves when that is done. */
const report = (message: Report): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, {}, () => resolve());
  });

/**
 * The last resort of a server that is ready: logs each defect that nothing else catches, with its place, and lets the server go
 * on. A defect that comes again is counted, and logged once a minute.
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

/** `0.0.0.0` and `::` are no place to go to: `self` stands for them. */
const hostIn = (address: string, self = 'localhost'): string => {
  if (address === '0.0.0.0' || address === '::') return self;
  return address.includes(':') ? `[${address}]` : address;
};

/** Where a server is asked by its own machine, without a name to look up. */
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
 * Runs a server until it is to stop (`onStopRequest`), the process that forked this one ends or stdout is closed, then closes
 * it, whereupon the process ends by itself with status 0, or the one that closing has set. A Left of `start` is a message,
 * and exit status 1. Message and warnings go to the process that forked this one, if any, else to stderr.
 * `abandon` ends what `start` has begun, if the process is stopped before it is ready. With `endWithStdin` the end of stdin
 * stops it too. A defect before it is ready ends the process; later it is logged.
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
    // The line that says that it is ready has no reader.
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
  const { ready, log, warnings = [], port, health, open, close } = started.right;
  const endLastResort = logDefects(log);
  printLines(ready);
  if (process.send === undefined) warnings.forEach((text) => log.warn(text));
  if (open !== undefined) detached(openPage(open));
  // The parent process may be gone already; `disconnect` reports it.
  detached(report({ ready: { port, warnings } }));
  const status = ready.join(', ');
  const stopping = notifySystemd({ status, health, time: systemTime, env: process.env });
  await stopped;
  if (endWithStdin) process.stdin.destroy();
  try {
    await Promise.all([stopping(), close()]);
  } finally {
    endLastResort();
  }
  // Nothing is left that would keep the process but output without a reader: it ends by itself.
  if (process.connected) process.disconnect();
  if (isLogStuck()) process.exit();
};
