import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { describe, it } from 'mocha';

const FOLDERS = ['dist/src/page/built', 'dist/simulators/page/built'];
const MOST_BYTES = 150 * 1024;

describe('The built pages', () => {
  it('are less than 150 KB compressed for each server', () => {
    for (const folder of FOLDERS) {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      const sizes = files.map(({ parentPath, name }) => {
        const content = readFileSync(join(parentPath, name));
        return extname(name) === '.gz' ? content.length : gzipSync(content).length;
      });
      expect(sizes).to.have.lengthOf.at.least(3);
      expect(sizes.reduce((all, size) => all + size, 0)).to.be.below(MOST_BYTES);
    }
  });
});
