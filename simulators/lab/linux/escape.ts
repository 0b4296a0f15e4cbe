import { Transform } from 'node:stream';

const [ENTER, NEW_LINE, TILDE, DOT] = [0x0d, 0x0a, 0x7e, 0x2e];

/**
 * Passes all input of a terminal on to the command, except at the beginning of a line, as Telnet and SSH do: there, `~.`
 * calls `onEscape`, and `~~` is one `~`.
 */
export const escapable = (onEscape: () => void): Transform => {
  let beginsLine = true;
  let isHeld = false;
  const pass = (byte: number): readonly number[] => {
    if (isHeld) {
      isHeld = false;
      beginsLine = byte === ENTER || byte === NEW_LINE;
      if (byte === DOT) {
        onEscape();
        return [];
      }
      return byte === TILDE ? [TILDE] : [TILDE, byte];
    }
    if (beginsLine && byte === TILDE) {
      isHeld = true;
      return [];
    }
    beginsLine = byte === ENTER || byte === NEW_LINE;
    return [byte];
  };
  return new Transform({
    transform: (typed: Buffer, _, done) => done(null, Buffer.from([...typed].flatMap(pass))),
  });
};
