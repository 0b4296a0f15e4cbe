import { connect } from 'node:net';
import type { Request } from './requests.js';

export interface Received {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** Far longer than the server lets anything take. */
const PATIENCE_MS = 20_000;

const END_OF_HEAD = '\r\n\r\n';
const CONTINUE = 100;

/** The first answer in `bytes` that is final; undefined if there is none. */
const firstAnswer = (bytes: Buffer): Received | undefined => {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString('latin1');
  const rest = bytes.subarray(end + END_OF_HEAD.length);
  const status = Number(head.split(' ')[1]);
  if (status === CONTINUE) return firstAnswer(rest);
  const header = (name: string): string | undefined => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1];
  const length = Number(header('content-length') ?? rest.length);
  return { status, contentType: header('content-type') ?? null, text: rest.subarray(0, length).toString() };
};

/** Sends a request on a connection of its own; undefined if it was closed without an answer. */
export const exchange = (port: number, { bytes, leaves }: Request): Promise<Received | undefined> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const late = setTimeout(() => {
      reject(new Error('no answer came, and the connection stays open'));
      socket.destroy();
    }, PATIENCE_MS);
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      if (firstAnswer(Buffer.concat(parts))?.status === 101) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(late);
      resolve(firstAnswer(Buffer.concat(parts)));
    });
    socket.write(bytes, () => {
      if (leaves) setImmediate(() => socket.destroy());
    });
  });
