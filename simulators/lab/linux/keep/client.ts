import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../../../src/async/defects.js';
import { written, type Session, type Streams } from '../session.js';
import { keptPath } from './keeper.js';
import { messageLine } from './messages.js';
import type { Reply, Request } from './reading.js';

/** Runs a command in the kept guest with this name. */
export const runInKept = (
  name: string,
  command: Omit<Extract<Request, { type: 'run' }>, 'type'>,
  { stdin, stdout, stderr }: Streams,
): Session => {
  const socket = createConnection(keptPath(name));
  const send = (request: Request): boolean => socket.write(messageLine(request));
  let status: number | undefined;
  let begin: (hasBegun: boolean) => void = () => undefined;
  const begun = new Promise<boolean>((resolve) => (begin = resolve));
  const ended = new Promise<E.Either<string, number>>((resolve) => {
    socket.once('error', () => resolve(E.left(`no guest is kept as ${name}: airbench linux --keep ${name}`)));
    socket.once('close', () => {
      begin(false);
      stdin.pause();
      const result =
        status === undefined ? E.left(`the guest ${name} ended before the command did`) : E.right(status);
      detached(Promise.all([stdout, stderr].map(written)).then(() => resolve(result)));
    });
  });
  socket.once('connect', () => {
    begin(true);
    send({ type: 'run', ...command });
    stdin.on('data', (bytes: Buffer) => {
      if (!send({ type: 'input', data: bytes.toString('base64') })) stdin.pause();
    });
    stdin.once('end', () => send({ type: 'end' }));
  });
  // The reader of the output may end.
  for (const output of [stdout, stderr]) output.on('error', () => socket.destroy());
  socket.on('drain', () => stdin.resume());
  const lines = createInterface({ input: socket });
  // The reader of lines repeats errors of the socket.
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    if (reply.type === 'exit') {
      status = reply.status;
      return;
    }
    const output = reply.type === 'stdout' ? stdout : stderr;
    if (output.write(Buffer.from(reply.data, 'base64'))) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  });
  return {
    begun,
    ended,
    signal: (signal) => void send({ type: 'signal', name: signal }),
  };
};
