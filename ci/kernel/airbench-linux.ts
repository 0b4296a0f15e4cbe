import { spawn, type ChildProcess } from 'node:child_process';
import { AIRBENCH } from '../../src/system/package.js';

/** Where the scripts of docs/lab are. */
const FOLDER = 'docs/lab';

/** A guest of its own for a program of this machine, in the folder of the scripts of docs/lab; it is killed after `limit` milliseconds. */
export const airbenchLinux = (args: readonly string[], limit: number, signal: AbortSignal): ChildProcess =>
  spawn(process.execPath, [AIRBENCH, 'linux', ...args], {
    cwd: FOLDER,
    signal: AbortSignal.any([signal, AbortSignal.timeout(limit)]),
    killSignal: 'SIGKILL',
  });

/** The text of a stream so far. */
export const textOf = (stream: ChildProcess['stdout']): (() => string) => {
  let text = '';
  stream?.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return () => text;
};
