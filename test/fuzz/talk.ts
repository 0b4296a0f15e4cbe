/** One client of a WebSocket, which says one thing after another. */
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket as Connection } from 'node:net';
import { WebSocket } from 'ws';
import type { Message } from './messages.js';

const MAX_MESSAGE = 65_536;
const MAX_PING = 125;

/** Why a server closes: a protocol error, no UTF-8, too long; or the connection just ended. */
const CLOSES: readonly number[] = [1002, 1006, 1007, 1009];

interface Opened {
  readonly socket: WebSocket;
  readonly connection: Connection;
}

const open = async (url: string): Promise<Opened> => {
  const { port, hostname } = new URL(url);
  const connection = connect(Number(port), hostname);
  const socket = new WebSocket(url, { createConnection: () => connection });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return { socket, connection };
};

const closeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once('close', resolve));

/** Sends on a WebSocket of its own what ends it; answers with what was wrong. */
const endWith = async (url: string, { bytes, as }: Message): Promise<string | undefined> => {
  const { socket, connection } = await open(url);
  const closed = closeOf(socket);
  if (as === 'raw') connection.end(bytes);
  else socket.send(bytes, { binary: as === 'binary' });
  const code = await closed;
  return CLOSES.includes(code) ? undefined : `a WebSocket was closed with ${code}`;
};

const isAnswer = (text: string): boolean => {
  const message: unknown = JSON.parse(text);
  return typeof message === 'object' && message !== null && 'id' in message && !('event' in message);
};

export interface Talk {
  /** Everything that was heard since it was asked for last. */
  readonly heard: () => readonly string[];
  /** Resolves once the server has dealt with it; with what was wrong. */
  readonly say: (message: Message) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** `answers`: whether every message has an answer. */
export const openTalk = async (url: string, answers: boolean): Promise<Talk> => {
  const { socket } = await open(url);
  let heard: string[] = [];
  let answered = (): void => undefined;
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    heard.push(text);
    if (isAnswer(text)) answered();
  });
  const closed = closeOf(socket).then((code) => `the WebSocket was closed with ${code}`);
  const unlessClosed = (done: Promise<unknown>): Promise<string | undefined> =>
    Promise.race([done.then(() => undefined), closed]);
  const pinged = (bytes: Buffer): Promise<unknown> => {
    socket.ping(bytes);
    return once(socket, 'pong');
  };
  return {
    heard: () => {
      const all = heard;
      heard = [];
      return all;
    },
    say: (message) => {
      const { bytes, as } = message;
      const ends = bytes.length > MAX_MESSAGE || (as === 'text' && !isUtf8(bytes)) || as === 'raw';
      if (as === 'ping') return unlessClosed(pinged(bytes.subarray(0, MAX_PING)));
      if (ends) return endWith(url, message);
      const answer = new Promise<void>((resolve) => (answered = resolve));
      socket.send(bytes, { binary: as === 'binary' });
      return unlessClosed(answers ? answer : pinged(Buffer.alloc(0)));
    },
    close: async () => {
      socket.close();
      await closed;
    },
  };
};
