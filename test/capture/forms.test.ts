/** The forms of captures that tests replay, as Wireshark reads them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { strap } from '../replay/captures.js';
import { forms } from '../replay/forms.js';
import { requireProgram } from '../support/require.js';
import { tshark } from './judge.js';

describe('The captures of all forms', () => {
  before(function () {
    requireProgram(this, 'tshark');
  });

  it('have the same ATT packets at the same times for tshark', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'airbench-forms-'));
    const fields = ['frame.time_epoch', 'btatt.opcode', 'btatt.handle', 'btatt.value'].flatMap((name) => [
      '-e',
      name,
    ]);
    const read = async (name: string, file: Buffer): Promise<string> => {
      const path = join(folder, name.replaceAll(/\W+/g, '-'));
      await writeFile(path, file);
      return tshark(path, '-Y', 'btatt', '-T', 'fields', ...fields);
    };
    try {
      const expected = await read('strap', strap());
      expect(expected.trim().split('\n')).to.have.length(27);
      for (const [name, file] of Object.entries(forms))
        expect(await read(name, file), name).to.equal(expected);
    } finally {
      await rm(folder, { recursive: true });
    }
  }).timeout(60_000);
});
