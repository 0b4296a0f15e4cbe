/** Messages to a WebSocket, each on a connection of its own. */
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Listener } from '../../../simulators/testing/internal/listener.js';
import type { Message } from './requests.js';

const MAX_MESSAGE = 65_536;
const MAX_PING = 125;
const PATIENCE_MS = 20_000;

/** Why a server closes: a protocol error, no UTF-8, too long; or the connection just ended. */
const CLOSES: readonly number[] = [1002, 1006, 1007, 1009];

const isAnswer = (message: object): boolean => 'id' in message && !('event' in message);

/**
 * Resolves with the texts that came until the server had dealt with a message. Rejects if it did not answer although
 * `answers`, or closed for no reason.
 */
export const say = async (
  url: string,
  { bytes, as }: Message,
  answers: boolean,
): Promise<readonly string[]> => {
  const { hostname, port } = new URL(url);
  const connection = connect(Number(port), hostname);
  const heard: string[] = [];
  const listener = await Listener.open(url, {
    createConnection: () => connection,
    limit: PATIENCE_MS,
    exchanged: (_sender, text) => heard.push(text),
  });
  const { socket } = listener;
  socket.on('error', () => undefined);
  if (as === 'raw') connection.end(bytes);
  else if (as === 'ping') socket.ping(bytes.subarray(0, MAX_PING));
  else socket.send(bytes, { binary: as === 'binary' });
  if (as === 'raw' || (as !== 'ping' && (bytes.length > MAX_MESSAGE || (as === 'text' && !isUtf8(bytes))))) {
    const code = await listener.closed;
    if (!CLOSES.includes(code)) throw new Error(`a WebSocket was closed with ${code}`);
    return heard;
  }
  if (as === 'ping') await once(socket, 'pong', { signal: AbortSignal.timeout(PATIENCE_MS) });
  else if (answers) await listener.next(isAnswer);
  else await listener.settled();
  listener.close();
  return heard;
};
