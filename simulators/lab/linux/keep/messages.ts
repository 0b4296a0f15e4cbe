/** Apart from how messages are read, which the guest need not load. */
import type { Reply, Request } from './reading.js';

export const READY = 'ready';

export const messageLine = (message: Request | Reply): string => `${JSON.stringify(message)}\n`;
