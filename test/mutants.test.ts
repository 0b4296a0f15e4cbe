import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { groups } from '../ci/mutants/groups.js';

describe('npm run mutants', () => {
  for (const [name, { mutate, tests }] of Object.entries(groups)) {
    it(`has all files of ${name}`, () => {
      expect([...mutate, ...tests].filter((path) => !existsSync(path))).to.deep.equal([]);
    });
  }

  it('refuses an unknown group in a sentence', () => {
    const { status, stderr } = spawnSync(process.execPath, ['dist/ci/mutants/main.js', 'moon'], {
      encoding: 'utf8',
    });
    expect(status).to.equal(2);
    expect(stderr).to.contain(`must be one of ${Object.keys(groups).join(', ')}, got "moon"`);
  });
});
