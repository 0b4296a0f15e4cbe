import { pino, type Logger } from 'pino';
import { Lines } from './lines.js';

const LEVELS = ['warn', 'info', 'debug', 'trace'] as const;

const lostLine = (lost: number): string => {
  let line = '';
  pino({ name: 'log' }, { write: (text) => (line = text) }).warn(
    { lost },
    'lines were lost here: nobody read them',
  );
  return line;
};

/** All lines of the process to stderr. */
export const logLines = new Lines(process.stderr, lostLine);
process.on('exit', () => logLines.flush(process.stderr.fd));

/** A log on stderr, each line with the `name` of its source; `verbosity` 0 to 3. */
export const openLog = (name: string, verbosity: number): Logger =>
  pino({ name, level: LEVELS[verbosity] ?? 'warn' }, logLines);
