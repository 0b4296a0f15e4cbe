import { destination, pino, type Logger } from 'pino';

const LEVELS = ['warn', 'info', 'debug', 'trace'] as const;

/** A log on stderr, each line with the `name` of who speaks; `verbosity` 0 to 3. */
export const openLog = (name: string, verbosity: number): Logger =>
  pino({ name, level: LEVELS[verbosity] ?? 'warn' }, destination({ fd: 2, sync: true }));
