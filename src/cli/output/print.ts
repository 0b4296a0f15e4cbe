/** Safe output of foreign text on a terminal: device names, TXT records, messages of brokers, files of other people. */

/**
 * Control characters (ANSI escapes begin with one), invisible ones that reorder or hide text, line and paragraph separators,
 * unpaired surrogates: general categories of the Unicode Standard, chapter 4.5.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * One line without characters that move the cursor, change colours or hide text: each becomes its escape, such as
 * `\u001b`. JSON in one line stays the same JSON.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** Writes lines to stdout, each `printable`, and calls `written` then. */
export const printLines = (lines: readonly string[], written?: () => void): void =>
  void process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''), written);

/** A value as lines of JSON, one unless it is indented. */
export const jsonLines = (value: unknown, indent?: number): readonly string[] =>
  JSON.stringify(value, null, indent).split('\n');
