/** The forms of captures that tests replay, as Wireshark reads them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { strap } from '../replay/captures.js';
import { forms } from '../replay/forms.js';
import { newFolder } from '../support/folders.js';
import { requireProgram } from '../support/require.js';
import { tshark } from './judge.js';

describe('The captures of all forms', () => {
  let expected: string;

  const read = async (file: Buffer): Promise<string> => {
    const path = join(newFolder(), 'capture');
    await writeFile(path, file);
    const fields = ['frame.time_epoch', 'btatt.opcode', 'btatt.handle', 'btatt.value'];
    return tshark(path, '-Y', 'btatt', '-T', 'fields', ...fields.flatMap((name) => ['-e', name]));
  };

  before(async function () {
    requireProgram(this, 'tshark');
    expected = await read(strap());
    expect(expected.trim().split('\n')).to.have.length(27);
  });

  for (const [name, file] of Object.entries(forms))
    it(`have the same ATT packets at the same times for tshark: ${name}`, async () => {
      expect(await read(file)).to.equal(expected);
    });
});
