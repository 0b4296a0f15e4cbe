import { destination, pino, type Logger } from 'pino';

const LEVELS = ['warn', 'info', 'debug', 'trace'] as const;

/** A log on stderr; `verbosity` 0 to 3. */
export const openLog = (verbosity: number): Logger =>
  pino({ level: LEVELS[verbosity] ?? 'warn' }, destination({ fd: 2, sync: true }));
