import { pino, type Logger } from 'pino';
import { levelOf, MAX_VERBOSITY, setVerbosity, verbosityOf } from '../verbosity.js';
import { Lines } from './lines.js';

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

/** A log on stderr, each line with the `name` of its source. Each SIGUSR2 raises its verbosity by one, from 3 to 0. */
export const openLog = (name: string, verbosity: number): Logger => {
  const log = pino({ name, level: levelOf(verbosity) }, logLines);
  const step = (): void => setVerbosity(log, (verbosityOf(log) + 1) % (MAX_VERBOSITY + 1));
  // Windows has no such signal.
  if (process.platform !== 'win32') process.on('SIGUSR2', step);
  return log;
};
