/** The keys of a terminal in raw mode. */

export type Key =
  | { readonly name: 'enter' | 'escape' | 'backspace' | 'ctrl-c' }
  | { readonly name: 'text'; readonly text: string };

const NAMED: Readonly<Record<string, Exclude<Key['name'], 'text'>>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'ctrl-c',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b': 'escape',
};

/** The sequences of arrows, function keys and the like, which mean nothing here. */
// eslint-disable-next-line no-control-regex
const SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/g;

/** The keys in the characters from a terminal. Other control characters mean nothing. */
export const keysIn = (chunk: string): readonly Key[] =>
  Array.from(chunk.replace(SEQUENCE, '')).flatMap((character): readonly Key[] => {
    const name = NAMED[character];
    if (name !== undefined) return [{ name }];
    return character < ' ' ? [] : [{ name: 'text', text: character }];
  });
