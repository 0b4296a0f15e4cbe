import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { readTokenFile } from '../../src/access/tokens.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';

const TOKENS = [{ name: 'hall', token: 'hall-token-0123456789', scope: 'full' }];

describe('A file of tokens', () => {
  let path: string;
  beforeEach(function () {
    requireUnix(this, 'modes of files');
    path = join(newFolder(), 'tokens.json');
    writeFileSync(path, JSON.stringify(TOKENS));
  });

  for (const mode of [0o600, 0o640, 0o400, 0o660]) {
    it(`is read with the mode ${mode.toString(8)}`, () => {
      chmodSync(path, mode);
      expect(readTokenFile(path)).to.deep.equal(E.right(TOKENS));
    });
  }

  for (const mode of [0o644, 0o604, 0o602, 0o666]) {
    it(`is refused with the mode ${mode.toString(8)}, with what mends it`, () => {
      chmodSync(path, mode);
      expect(readTokenFile(path)).to.deep.equal(
        E.left(`it cannot be used: other users can read or change it: chmod 640 ${path}`),
      );
    });
  }

  it('is refused where it is missing or a folder', () => {
    expect(readTokenFile(join(path, 'x'))).to.satisfy(E.isLeft);
    expect(readTokenFile(`${path}.x`)).to.deep.equal(
      E.left('it cannot be used: there is no such file or folder'),
    );
    const folder = newFolder();
    chmodSync(folder, 0o700);
    expect(readTokenFile(folder)).to.satisfy(E.isLeft);
  });
});
