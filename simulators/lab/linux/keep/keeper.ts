import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { cacheFolder } from '../cache.js';
import { messageLine, READY } from './messages.js';
import { replyReader, requestReader, type Numbered, type Reply, type Request } from './reading.js';

export const keptPath = (name: string): string => join(cacheFolder(), 'kept', `${name}.sock`);

const isKept = async (path: string): Promise<boolean> => {
  const socket = createConnection(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

export interface Keeper {
  readonly ready: Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Passes commands from clients to the agent in the guest, by a socket for this user alone. Drops each line that is not a
 * message, and passes a sentence about it to `warn`.
 * @throws Error if there is a kept guest with this name already, or if the socket cannot be made.
 */
export const keep = async (
  name: string,
  input: Writable,
  output: Readable,
  warn: (message: string) => void,
): Promise<Keeper> => {
  const path = keptPath(name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (await isKept(path)) throw new Error(`a guest is kept as ${name} already`);
  // A killed keeper leaves its socket behind.
  await rm(path, { force: true });
  const clients = new Map<number, Socket>();
  let nextId = 1;
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    const id = nextId++;
    clients.set(id, socket);
    const pass = (request: Request): void => {
      // The guest may have ended already.
      if (!input.writable || input.write(messageLine({ ...request, id } as Numbered<Request>))) return;
      socket.pause();
      input.once('drain', () => socket.resume());
    };
    createInterface({ input: socket })
      .on('line', requestReader(`a client of the guest ${name}`, pass, warn))
      // The reader of lines repeats errors of the socket, which closes then.
      .on('error', () => undefined);
    socket.on('error', () => undefined);
    socket.on('drain', () => output.resume());
    socket.once('close', () => {
      clients.delete(id);
      output.resume();
      pass({ type: 'hangup' });
    });
  });
  await once(server.listen(path), 'listening');
  const ready = new Promise<void>((resolve) => {
    const pass = ({ id, ...reply }: Numbered<Reply>): void => {
      const socket = clients.get(id);
      if (socket?.write(messageLine(reply)) === false) output.pause();
      if (reply.type === 'exit') socket?.end();
    };
    const answer = replyReader(`the guest ${name}`, pass, warn);
    createInterface({ input: output }).on('line', (line) => {
      if (line === READY) resolve();
      else answer(line);
    });
  });
  return {
    ready,
    close: async () => {
      for (const socket of clients.values()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
