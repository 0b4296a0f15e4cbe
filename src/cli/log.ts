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

/** All that the process says on stderr. */
export const said = new Lines(process.stderr, lostLine);
process.on('exit', () => said.flush(process.stderr.fd));

/** A log on stderr, each line with the `name` of who speaks; `verbosity` 0 to 3. */
export const openLog = (name: string, verbosity: number): Logger =>
  pino({ name, level: LEVELS[verbosity] ?? 'warn' }, said);
