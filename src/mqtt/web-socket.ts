/** The WebSocket of a broker (MQTT 5.0, 6). */
import { WebSocket, type ClientOptions } from 'ws';
import { codeOf, messageOf } from '../system/system-error.js';

/** Bytes of the largest message, which may contain several packets. */
const MOST_RECEIVED = 16 * 1024 * 1024;

/**
 * Opens a WebSocket for MQTT.js, which itself leaves out the brackets of an IPv6 address, and ignores errors without a code, such as
 * another answer than an upgrade.
 */
export const openWebSocket = (
  address: string,
  protocols: readonly string[],
  options: ClientOptions,
): WebSocket => {
  const socket = new WebSocket(address, [...protocols], {
    ...options,
    maxPayload: MOST_RECEIVED,
    perMessageDeflate: false,
  });
  const explain = (error: Error): void => {
    const problem = messageOf(error).replace('Unexpected server response:', 'HTTP');
    const message = `no WebSocket at ${new URL(address).pathname}: ${problem}`;
    Object.assign(error, { message, code: codeOf(error) ?? 'NO_WEBSOCKET' });
  };
  socket.once('error', explain);
  socket.once('open', () => socket.off('error', explain));
  return socket;
};
