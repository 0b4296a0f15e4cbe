import { printable } from '../../system/printable.js';

/** Writes lines to stdout, and calls `written` then; what others have written in them moves no cursor. */
export const printLines = (lines: readonly string[], written?: () => void): void =>
  void process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''), written);

/** A value as lines of JSON, one unless it is indented. */
export const jsonLines = (value: unknown, indent?: number): readonly string[] =>
  JSON.stringify(value, null, indent).split('\n');
