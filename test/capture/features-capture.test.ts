import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { requireProgram } from '../support/require.js';

const FOLDER = 'reports';

const tshark = async (file: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('tshark', ['-r', file, ...args], { maxBuffer: 2 ** 28 });
  return stdout;
};

describe('The capture of the feature run', function () {
  this.timeout(120_000);
  const files = readdirSync(FOLDER).filter((file) => /^features-.*\.btsnoop$/.test(file));

  before(function () {
    requireProgram(this, 'tshark');
  });

  it('is there, one for each worker', () => {
    expect(files).to.not.be.empty;
  });

  for (const file of files) {
    it(`${file} has no malformed packet, but those that a fault has changed`, async () => {
      const frames = async (filter: string): Promise<readonly number[]> => {
        const printed = await tshark(join(FOLDER, file), '-Y', filter, '-T', 'fields', '-e', 'frame.number');
        return printed.split('\n').filter(Boolean).map(Number);
      };
      const changed = new Set((await frames('hci_mon.opcode == 12')).map((note) => note + 1));
      const malformed = await frames('_ws.malformed');
      expect(malformed.filter((frame) => !changed.has(frame))).to.deep.equal([]);
    });

    it(`${file} is decoded down to ATT`, async () => {
      const hierarchy = await tshark(join(FOLDER, file), '-q', '-z', 'io,phs');
      for (const protocol of ['bthci_cmd', 'bthci_evt', 'btl2cap', 'btatt']) {
        expect(hierarchy).to.match(new RegExp(`\\b${protocol}\\s+frames:\\d{3,}`));
      }
    });
  }
});
