import { expect } from 'chai';
import { describe, it } from 'mocha';
import { escapable } from '../../simulators/lab/linux/escape.js';

/** The keys that reach the command, with a separate read for each piece, and the number of typed escapes. */
const type = async (...pieces: readonly string[]): Promise<readonly [text: string, escapes: number]> => {
  let escapes = 0;
  const keys = escapable(() => escapes++);
  for (const piece of pieces) keys.write(piece);
  keys.end();
  return [Buffer.concat(await keys.toArray()).toString(), escapes];
};

describe('The escape of a terminal', () => {
  it('is ~. at the beginning of a line, typed at once or key by key', async () => {
    expect(await type('~.')).to.deep.equal(['', 1]);
    expect(await type('ls\r', '~', '.')).to.deep.equal(['ls\r', 1]);
    expect(await type('ls\n~.')).to.deep.equal(['ls\n', 1]);
  });

  it('is text in the middle of a line', async () => {
    expect(await type('ls ~.\r')).to.deep.equal(['ls ~.\r', 0]);
    expect(await type('a~~\r')).to.deep.equal(['a~~\r', 0]);
  });

  it('passes on one of two tildes, and a tilde with any other key', async () => {
    expect(await type('~~.')).to.deep.equal(['~.', 0]);
    expect(await type('~', '/x\r')).to.deep.equal(['~/x\r', 0]);
    expect(await type('~\r~.')).to.deep.equal(['~\r', 1]);
  });

  it('passes on Ctrl-C and bytes that are not text', async () => {
    const keys = escapable(() => expect.fail('no escape was typed'));
    const bytes = Buffer.from([0x03, 0xff, 0x00, 0x7e, 0x1b]);
    keys.end(bytes);
    expect(Buffer.concat(await keys.toArray())).to.deep.equal(bytes);
  });
});
