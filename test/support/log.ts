import { pino } from 'pino';

/** Says nothing, even where a test has it log. */
export const silent = pino({ level: 'silent' }, { write: () => undefined });
