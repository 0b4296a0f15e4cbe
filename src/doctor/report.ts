/** The outcome of the doctor: a check for each line, and what to do next. */

/**
 * `fail`: no real device can be served until it is mended; `warn`: devices can be served, with care; `note`: nothing that
 * real devices need here, such as a second way to them.
 */
export type Level = 'ok' | 'note' | 'warn' | 'fail';

export interface Check {
  /** The name of the check, for programs. */
  readonly check: string;
  readonly level: Level;
  readonly what: string;
  /** The command or action that helps; null: everything is in order. */
  readonly fix: string | null;
}

export interface Report {
  /** Whether real devices can be served. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
  /** The command to run now, or the action that no command does. */
  readonly run: string;
}

export const ok = (check: string, what: string): Check => ({ check, level: 'ok', what, fix: null });
const trouble =
  (level: 'note' | 'warn' | 'fail') =>
  (check: string, what: string, fix: string): Check => ({ check, level, what, fix });
export const note = trouble('note');
export const warn = trouble('warn');
export const fail = trouble('fail');

/** Checks of which one has to succeed: if one does, each failure is of the level `otherwise`. */
export const oneOf = (checks: readonly Check[], otherwise: 'note' | 'warn'): readonly Check[] => {
  const isMet = checks.some(({ level }) => level !== 'fail');
  return checks.map((check) => (isMet && check.level === 'fail' ? { ...check, level: otherwise } : check));
};

/** The command with which a remedy begins. */
const commandOf = (fix: string): string | undefined => /^(?:run )?`([^`]+)`/.exec(fix)?.[1];

/** `serve`: the command that serves devices if nothing fails, or the action if they are served already. */
export const reportOf = (checks: readonly Check[], serve: string): Report => {
  const fix = checks.find(({ level }) => level === 'fail')?.fix ?? undefined;
  return { healthy: fix === undefined, checks, run: fix === undefined ? serve : (commandOf(fix) ?? fix) };
};

/** One line: `fail  hci0 is blocked by rfkill  → `sudo rfkill unblock bluetooth``. */
export const checkLine = ({ level, what, fix }: Check): string =>
  `${level.padEnd(4)}  ${what}${fix === null ? '' : `  → ${fix}`}`;

/** A line for each check, and the command. */
export const reportLines = ({ checks, run }: Report): readonly string[] => {
  const isAction = checks.some(({ fix }) => fix === run);
  return [...checks.map(checkLine), `${isAction ? 'do' : 'run'}: ${run}`];
};
