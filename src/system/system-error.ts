/** Errors, processes and ports of the operating system. */
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { getSystemErrorMap } from 'node:util';

/** Reasons in words that fit the name of a file, a folder or an address better than the system's own words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  // Reported by mkdir where a file is in the place of a folder.
  EEXIST: 'a part of its path is not a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host with that name',
};

/** The code of an exception, such as `ENOENT`; undefined if it has no code. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;

/** The message of an exception. If no address of a host can be reached, Node gives only the code as the reason. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message || String(codeOf(thrown)) : String(thrown);

/** Whether a process exists, of any user. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};

/** The error of the system in an error of `fetch`, and the first of several, for instance one for each address of a host. */
const systemError = (error: Error): Error => {
  const inner: unknown =
    error instanceof AggregateError
      ? error.errors[0]
      : error.message === 'fetch failed'
        ? error.cause
        : undefined;
  return inner instanceof Error ? systemError(inner) : error;
};

/** An exception as the end of a message, without the name of the error and of the system call. */
export const systemReason = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code = '', errno = 0, message } = systemError(thrown) as NodeJS.ErrnoException;
  return REASONS[code] ?? getSystemErrorMap().get(errno)?.[1] ?? message;
};

/** Resolves at the end of a process: `ended with status 1`, `was killed by SIGKILL`. */
export const describeExit = async (child: ChildProcess): Promise<string> => {
  // Not `close`, which does not come if this side has closed the channel.
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('exit', (...exit) => resolve(exit));
    // A process that cannot be started never ends; other errors come before its end.
    child.once('error', (error) => {
      if (child.pid === undefined) reject(error);
    });
  });
  return signal === null ? `ended with status ${String(status)}` : `was killed by ${signal}`;
};

/** Listens on a port of an address for a moment. Resolves with the error if that fails, otherwise with undefined. */
export const listenOnce = (address: string, port: number): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', resolve);
    server.listen(port, address, () => server.close(() => resolve(undefined)));
  });
