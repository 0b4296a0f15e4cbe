import { pino, type Logger } from 'pino';
import { printable } from './print.js';
import { levelOf, MAX_VERBOSITY, setVerbosity, verbosityOf } from '../../system/log.js';
import { Lines } from './lines.js';
import { textOf } from './log-text.js';

export const LOG_FORMATS = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

const { stderr } = process;

let isText = stderr.isTTY;

/** `auto` is text on a terminal, else JSON. */
export const setLogFormat = (format: LogFormat): void => {
  isText = format === 'auto' ? stderr.isTTY : format === 'text';
};

/** Whether the log is lines for a person. */
export const isLogText = (): boolean => isText;

/** `hasColors` respects NO_COLOR and TERM; only a terminal has this method. */
const shown = (line: string): string =>
  `${isText ? textOf(line, stderr.isTTY && stderr.hasColors()) : printable(line)}\n`;

const pinoTo = (name: string, level: string, write: (line: string) => void): Logger =>
  pino({ name, level }, { write: (line) => write(line.trimEnd()) });

const lostLine = (lost: number): string => {
  let line = '';
  pinoTo('log', 'warn', (text) => (line = text)).warn({ lost }, 'lines were lost here: nobody read them');
  return shown(line);
};

const lines = new Lines(stderr, lostLine);
process.on('exit', () => {
  showStatus('');
  lines.flush(stderr.fd);
});

/** ECMA-48: to the first column, and erases the line from there. */
const ERASE = '\r\u001b[K';

let status = '';

/** Whether stderr can show a status: a terminal that can erase text. */
export const hasStatus = stderr.isTTY && process.env['TERM'] !== 'dumb';

/** Shows a status below the lines instead of the previous status; '' removes the status. */
export const showStatus = (text: string): void => {
  // A terminal that does not tell its size has 0 columns.
  const next = printable(text).slice(0, (stderr.columns || 80) - 1);
  if (next === status || (next !== '' && lines.isStuck())) return;
  status = next;
  lines.write(ERASE + status);
};

/** Writes a line to stderr, the only way for a process to do so: a message for a person, or a line of pino. */
export const writeLine = (line: string): void =>
  lines.write(status === '' ? shown(line) : ERASE + shown(line) + status);

/** Writes a message to stderr, and sets the exit status 1. */
export const fail = (message: string): void => {
  writeLine(message);
  process.exitCode = 1;
};

/** Whether lines wait for the reader of stderr. */
export const isLogStuck = (): boolean => lines.isStuck();

/** A log on stderr, each line with the `name` of its source. Each SIGUSR2 raises its verbosity by one, from 3 to 0. */
export const openLog = (name: string, verbosity: number): Logger => {
  const log = pinoTo(name, levelOf(verbosity), writeLine);
  const step = (): void => setVerbosity(log, (verbosityOf(log) + 1) % (MAX_VERBOSITY + 1));
  // Windows has no such signal.
  if (process.platform !== 'win32') process.on('SIGUSR2', step);
  return log;
};
