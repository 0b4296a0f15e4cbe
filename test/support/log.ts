import { pino } from 'pino';

/** A log without output, even at a level that a test sets. */
export const silent = pino({ level: 'silent' }, { write: () => undefined });
