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

/** All that the process says on stderr. */
export const said = new Lines(process.stderr, lostLine);
process.on('exit', () => said.flush(process.stderr.fd));

/** A log on stderr, each line with the `name` of who speaks. With each SIGUSR2 it says more, then least again. */
export const openLog = (name: string, verbosity: number): Logger => {
  const log = pino({ name, level: levelOf(verbosity) }, said);
  const step = (): void => setVerbosity(log, (verbosityOf(log) + 1) % (MAX_VERBOSITY + 1));
  // Windows has no such signal.
  if (process.platform !== 'win32') process.on('SIGUSR2', step);
  return log;
};
