/** Messages as lines, without the reading of messages, which the guest need not load. */
import type { Reply, Request } from './reading.js';

export const READY = 'ready';

export const messageLine = (message: Request | Reply): string => `${JSON.stringify(message)}\n`;
