/** The verbosity of the log: 0 warnings, 1 events, 2 details, 3 everything; and a log for messages that others can cause at will. */
import type { Logger } from 'pino';
import { MINUTE_MS, type Cancel, type TimeSource } from '../async/time.js';

const LEVELS = ['warn', 'info', 'debug', 'trace'] as const;

export const MAX_VERBOSITY = LEVELS.length - 1;

export const levelOf = (verbosity: number): string => LEVELS[verbosity] ?? 'warn';

export const verbosityOf = ({ level }: Logger): number =>
  Math.max(
    0,
    LEVELS.findIndex((name) => name === level),
  );

/** Sets the verbosity, and logs the new level in any case. */
export const setVerbosity = (log: Logger, verbosity: number): void => {
  log.level = levelOf(verbosity);
  log.warn({ verbose: verbosity }, `the log level is now ${log.level}`);
};

/** Writes one line for a kind of message and minute. */
export interface MinuteLog {
  /** Writes the first message of a kind at once; of further ones within a minute, only the last and their number, at its end. */
  readonly write: (level: 'warn' | 'error', kind: string, message: string, fields?: object) => void;
  /** Writes the waiting messages, and ignores all later ones. */
  readonly close: () => void;
}

interface Minute {
  times: number;
  last: () => void;
  readonly cancel: Cancel;
}

export const openMinuteLog = (log: Logger, time: TimeSource): MinuteLog => {
  const minutes = new Map<string, Minute>();
  let isClosed = false;

  const end = (kind: string): void => {
    const minute = minutes.get(kind);
    minutes.delete(kind);
    minute?.cancel();
    if (minute !== undefined && minute.times > 0) minute.last();
  };

  return {
    write: (level, kind, message, fields = {}) => {
      if (isClosed) return;
      const minute = minutes.get(kind);
      if (minute === undefined) {
        log[level](fields, message);
        const cancel = time.after(MINUTE_MS, () => end(kind));
        minutes.set(kind, { times: 0, last: () => undefined, cancel });
        return;
      }
      minute.times += 1;
      const { times } = minute;
      minute.last = () => log[level]({ ...fields, times }, message);
    },
    close: () => {
      isClosed = true;
      for (const kind of [...minutes.keys()]) end(kind);
    },
  };
};
