import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { requireProgram } from '../support/require.js';
import { malformed, tshark } from './judge.js';

const FOLDER = 'reports';

describe('The capture of the feature run', () => {
  const files = readdirSync(FOLDER).filter((file) => /^features-.*\.btsnoop$/.test(file));

  before(function () {
    requireProgram(this, 'tshark');
  });

  it('exists for each worker', () => {
    expect(files).to.not.be.empty;
  });

  for (const file of files) {
    it(`${file} has no malformed packet, except after a fault`, async () => {
      expect(await malformed(readFileSync(join(FOLDER, file)))).to.deep.equal([]);
    });

    it(`${file} is decoded down to ATT`, async () => {
      const hierarchy = await tshark(join(FOLDER, file), '-q', '-z', 'io,phs');
      for (const protocol of ['bthci_cmd', 'bthci_evt', 'btl2cap', 'btatt']) {
        expect(hierarchy).to.match(new RegExp(`\\b${protocol}\\s+frames:\\d{3,}`));
      }
    });
  }
});
