/** How much is logged: 0 warnings, 1 what happens, 2 details, 3 all. It may change while the log is written. */
import type { Logger } from 'pino';

const LEVELS = ['warn', 'info', 'debug', 'trace'] as const;

export const MAX_VERBOSITY = LEVELS.length - 1;

export const levelOf = (verbosity: number): string => LEVELS[verbosity] ?? 'warn';

export const verbosityOf = ({ level }: Logger): number =>
  Math.max(
    0,
    LEVELS.findIndex((name) => name === level),
  );

/** Says so in the log, however little is logged. */
export const setVerbosity = (log: Logger, verbosity: number): void => {
  log.level = levelOf(verbosity);
  log.warn({ verbose: verbosity }, `the log level is now ${log.level}`);
};
