import type { WebSocket } from 'ws';
import type { Cancel, TimeSource } from '../async/time.js';

/** Between two pings, ms. */
export const HEARTBEAT_MS = 30_000;

const MISSED_PONGS = 2;

/** Pings an open WebSocket again and again. Calls `missed`, the last time, when it has left some in a row unanswered. */
export const startHeartbeat = (
  socket: Pick<WebSocket, 'on' | 'ping' | 'readyState' | 'OPEN'>,
  time: TimeSource,
  missed: () => void,
): Cancel => {
  let unanswered = 0;
  const beat = (): void => {
    if (unanswered >= MISSED_PONGS) {
      missed();
      return;
    }
    if (socket.readyState === socket.OPEN) {
      unanswered += 1;
      socket.ping();
    }
    cancel = time.after(HEARTBEAT_MS, beat);
  };
  let cancel = time.after(HEARTBEAT_MS, beat);
  socket.on('pong', () => (unanswered = 0));
  return () => cancel();
};
